import { useState } from 'preact/hooks'

import type { OidcProvider, OidcSigningKey } from '../../../admin-contract/oidc-provider.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { type Column, DataList } from '../../parts/data-list.tsx'
import { Time } from '../../parts/time.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useOpenIdWords } from './words.ts'

interface SigningKeysProps {
  readonly provider: OidcProvider
  readonly reload: () => Promise<void>
}

type Question = 'rotate' | 'replace'

/** The keys that the provider signs with. */
export function SigningKeys({ provider: { keys, changesKeys }, reload }: SigningKeysProps) {
  const texts = useOpenIdWords().keys
  const { role } = useSignedIn().session.administrator
  const [question, setQuestion] = useState<Question>()
  const hasNext = keys.some(({ state }) => state === 'next')
  return (
    <section class="keys" aria-labelledby="signing-keys">
      <header class="page-head">
        <div>
          <h2 id="signing-keys">{texts.title}</h2>
          <p class="sentence">{texts.sentence}</p>
          {role === 'owner' && !changesKeys ? <p class="sentence">{texts.shared}</p> : null}
        </div>
        {changesKeys && keys.length > 0 ? (
          <div class="page-actions">
            <div class="buttons inline">
              {hasNext ? null : <Button class="outlined" onClick={() => setQuestion('rotate')} label={texts.rotate} />}
              <Button class="outlined danger" onClick={() => setQuestion('replace')} label={texts.replace} />
            </div>
          </div>
        ) : null}
      </header>
      <KeyList keys={keys} />
      {question ? <ChangeKeys question={question} reload={reload} onClose={() => setQuestion(undefined)} /> : null}
    </section>
  )
}

function KeyList({ keys }: Pick<OidcProvider, 'keys'>) {
  const texts = useOpenIdWords().keys
  if (keys.length === 0) {
    return (
      <div class="card">
        <p class="sentence">{texts.none}</p>
      </div>
    )
  }
  const columns: readonly Column<OidcSigningKey>[] = [
    { title: texts.state, cell: ({ state }) => <strong>{texts.states[state]}</strong> },
    { title: texts.signsFrom, cell: ({ signsFrom }) => <Time at={signsFrom} /> },
    {
      title: texts.publishedUntil,
      cell: ({ publishedUntil }) => (publishedUntil === null ? texts.open : <Time at={publishedUntil} />),
    },
    { title: texts.id, isLong: true, cell: ({ id }) => <code dir="ltr">{id}</code> },
  ]
  return <DataList label={texts.title} rows={keys} columns={columns} keyOf={({ id }) => id} />
}

interface ChangeKeysProps {
  readonly question: Question
  readonly reload: () => Promise<void>
  readonly onClose: () => void
}

function ChangeKeys({ question, reload, onClose }: ChangeKeysProps) {
  const texts = useOpenIdWords().keys
  const { client } = useSignedIn()
  const say = useToast()
  const isReplacing = question === 'replace'

  async function change() {
    if (isReplacing) await client.call('POST /admin/oidc-provider/keys/replace', {})
    else await client.call('POST /admin/oidc-provider/keys', {})
    say(isReplacing ? texts.replaced : texts.rotated)
    await reload()
  }
  return (
    <Confirm
      title={isReplacing ? texts.replaceTitle : texts.rotate}
      action={texts[question]}
      harmless={!isReplacing}
      onConfirm={change}
      onClose={onClose}
    >
      <p>{isReplacing ? texts.replaceSentence : texts.rotateSentence}</p>
    </Confirm>
  )
}
