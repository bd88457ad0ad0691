import { useState } from 'preact/hooks'

import type { StockToken } from '../../../admin-contract/stock.ts'
import { isolated, printable } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm, Dialog } from '../../parts/confirm.tsx'
import { Facts } from '../../parts/facts.tsx'
import { LastUse } from '../../parts/last-use.tsx'
import { ReasonChoice, useReason } from '../../parts/reason-choice.tsx'
import { Time } from '../../parts/time.tsx'
import { useToast } from '../../parts/toast.tsx'
import { personPlace } from '../../session/places.ts'
import { Link } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useWords } from '../../words/speech.tsx'
import { AssignDialog } from './assign-dialog.tsx'
import { SyncState } from './token-list.tsx'

interface TokenDialogProps {
  readonly token: StockToken
  /** Whether the administrator may delete it. */
  readonly changeable: boolean
  readonly onChanged: () => Promise<void>
  readonly onClose: () => void
}

/** One hardware token, and what can be done with it. */
export function TokenDialog({ token, changeable, onChanged, onClose }: TokenDialogProps) {
  const { role } = useSignedIn().session.administrator
  const [step, setStep] = useState<'assign' | 'delete'>()
  if (step === 'assign') return <AssignDialog token={token} onClose={onClose} />
  if (step === 'delete') return <DeleteDialog token={token} onDeleted={onChanged} onClose={onClose} />
  return (
    <Dialog
      title={printable(token.serialNumber)}
      onClose={() => {
        // A step opens its own dialog, which then has the place of this one.
        if (step === undefined) onClose()
      }}
    >
      {(close) => (
        // A scanner may send Enter once more: no button has the focus.
        <div class="entry" tabIndex={-1} autofocus>
          <TokenFacts token={token} />
          <div class="stacked" onClick={(event) => (event.target as Element).closest('a') && close()}>
            <TokenLinks token={token} changing={role !== 'auditor'} onAssign={() => setStep('assign')} />
            {changeable && !token.person ? <DeleteButton onClick={() => setStep('delete')} /> : null}
            <CloseButton onClick={close} />
          </div>
        </div>
      )}
    </Dialog>
  )
}

function TokenFacts({
  token: { person, alias, digits, period, syncState, createdAt, lastUsedAt },
}: {
  readonly token: StockToken
}) {
  const { stock } = useWords()
  return (
    <Facts
      facts={[
        {
          label: stock.person,
          value: person ? <bdi>{printable(person.name)}</bdi> : stock.free,
          ...(person && { note: printable(person.username) }),
        },
        { label: stock.alias, value: <bdi>{printable(alias)}</bdi> },
        { label: stock.codes, value: stock.codesOf(digits, period ?? 0) },
        { label: stock.sync, value: <SyncState state={syncState} /> },
        ...(lastUsedAt === undefined ? [] : [{ label: stock.used, value: <LastUse at={lastUsedAt} /> }]),
        ...(createdAt === undefined ? [] : [{ label: stock.added, value: <Time at={createdAt} /> }]),
      ]}
    />
  )
}

interface TokenLinksProps {
  readonly token: StockToken
  readonly changing: boolean
  readonly onAssign: () => void
}

function TokenLinks({ token: { person }, changing, onAssign }: TokenLinksProps) {
  const { stock, openPerson } = useWords()
  if (!person) return changing ? <Button class="filled" onClick={onAssign} label={stock.assign} /> : null
  return (
    <>
      <Link to={personPlace(person.id)} class="button outlined">
        {openPerson}
      </Link>
      {changing ? (
        <Link to={personPlace(person.id, { ask: 'resynchronize' })} class="button outlined">
          {stock.resynchronize.button}
        </Link>
      ) : null}
    </>
  )
}

const DeleteButton = ({ onClick }: { readonly onClick: () => void }) => (
  <Button class="outlined danger" onClick={onClick} label={useWords().stock.delete} />
)

const CloseButton = ({ onClick }: { readonly onClick: () => void }) => (
  <Button class="outlined" onClick={onClick} label={useWords().audit.close} />
)

interface DeleteDialogProps {
  readonly token: StockToken
  readonly onDeleted: () => Promise<void>
  readonly onClose: () => void
}

function DeleteDialog({ token: { id, serialNumber }, onDeleted, onClose }: DeleteDialogProps) {
  const { stock } = useWords()
  const { client } = useSignedIn()
  const say = useToast()
  const reason = useReason()
  const name = isolated(serialNumber)
  return (
    <Confirm
      title={stock.deleteTitle(name)}
      action={stock.delete}
      onConfirm={async () => {
        const because = reason.require()
        if (!because) return false
        await client.call('POST /admin/stock/:hardwareTokenId/delete', {
          params: { hardwareTokenId: id },
          body: { because },
        })
        say(stock.deleted(name))
        await onDeleted()
        return true
      }}
      onClose={onClose}
    >
      <p>{stock.deleteSentence}</p>
      <ReasonChoice reason={reason} />
    </Confirm>
  )
}
