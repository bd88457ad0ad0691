import { useEffect, useState } from 'preact/hooks'

import type { PersonSummary } from '../../../admin-contract/people.ts'
import type { StockToken } from '../../../admin-contract/stock.ts'
import { isolated, printable } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../parts/confirm.tsx'
import { Failed } from '../../parts/states.tsx'
import { personPlace } from '../../session/places.ts'
import { Link } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { useWords } from '../../words/speech.tsx'

interface AssignDialogProps {
  readonly token: StockToken
  readonly onClose: () => void
}

/** How many people are listed: with more, a longer text is needed. */
const shownPeople = 6

/** How long a person pauses before it is searched, milliseconds. */
const pause = 200

/** Chooses the person. The page of the person then asks, and has what the help desk needs for it: caller and consent. */
export function AssignDialog({ token: { serialNumber }, onClose }: AssignDialogProps) {
  const words = useWords()
  const { stock } = words
  const [text, setText] = useState('')
  const [q, setQ] = useState('')

  useEffect(() => {
    const timer = setTimeout(() => setQ(text.trim()), pause)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <Dialog title={stock.assignTitle(isolated(serialNumber))} onClose={onClose}>
      {(close) => (
        <div class="entry" onClick={(event) => (event.target as Element).closest('a') && close()}>
          <label class="field">
            <span>{words.searchPeople}</span>
            {/* Of no type `search`, where Escape would clear the field instead of closing the dialog. */}
            <input
              value={text}
              maxLength={128}
              autocomplete="off"
              spellcheck={false}
              autofocus
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </label>
          <FoundPeople q={q} serial={serialNumber} />
          <div class="actions">
            <Button class="outlined" onClick={close} label={words.cancel} />
          </div>
        </div>
      )}
    </Dialog>
  )
}

function FoundPeople({ q, serial }: { readonly q: string; readonly serial: string }) {
  const words = useWords()
  const { client } = useSignedIn()
  const none: readonly PersonSummary[] = []
  const loaded = useLoad(
    q,
    async () => (q === '' ? none : (await client.call('GET /admin/people', { query: { q } })).people),
    { keep: true },
  )
  const { value = none, problem, loading, current } = loaded
  return (
    <>
      {problem === undefined ? null : <Failed problem={problem} busy={loading} onRetry={() => void loaded.reload()} />}
      <ul class="list choices" aria-label={words.people}>
        {value.slice(0, shownPeople).map(({ id, name, username }) => (
          <li key={id}>
            <Link to={personPlace(id, { ask: 'assign', serial })} class="choice">
              <span>
                <strong>
                  <bdi>{printable(name)}</bdi>
                </strong>
                <small>
                  <bdi>{printable(username)}</bdi>
                </small>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <p class="sentence" role="status">
        {current && q !== '' && value.length === 0 ? words.noneFound : null}
        {value.length > shownPeople ? words.stock.morePeople : null}
      </p>
    </>
  )
}
