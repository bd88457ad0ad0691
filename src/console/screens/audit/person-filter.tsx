import { useEffect, useState } from 'preact/hooks'

import { printable } from '../../../ground/printable.ts'
import { auditPlace, type AuditQuery } from '../../session/places.ts'
import { Link } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { useWords } from '../../words/speech.tsx'

/** How many people are offered. */
const maxOffered = 6

/** How long a person pauses before it is searched, milliseconds. */
const pause = 200

/** Finds the person whose entries are wanted. */
export function PersonFilter({ query }: { readonly query: AuditQuery }) {
  const words = useWords()
  const { client } = useSignedIn()
  const [text, setText] = useState('')
  const [q, setSearched] = useState('')

  useEffect(() => {
    const timer = setTimeout(() => setSearched(text.trim()), pause)
    return () => clearTimeout(timer)
  }, [text])
  const people = useLoad(
    q,
    async () => (q === '' ? undefined : (await client.call('GET /admin/people', { query: { q } })).people),
    { keep: true },
  )
  return (
    <div class="person-filter">
      <label class="field">
        <span>{words.searchPeople}</span>
        <input
          type="search"
          placeholder={words.searchHint}
          value={text}
          maxLength={128}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <div role="status">
        {people.problem === undefined ? null : <p class="danger">{people.problem}</p>}
        {people.value?.length === 0 ? <p class="sentence">{words.noneFound}</p> : null}
        {people.value && people.value.length > 0 ? (
          <ul class="list chips">
            {people.value.slice(0, maxOffered).map(({ id, name, username }) => (
              <li key={id}>
                <Link to={auditPlace({ ...query, user: id, before: undefined })} class="chip">
                  <bdi>{printable(name || username)}</bdi>
                </Link>
              </li>
            ))}
          </ul>
        ) : null}
      </div>
    </div>
  )
}
