import { useState } from 'preact/hooks'

import { useSignedIn } from '../../session/session.tsx'
import { useSpeech } from '../../words/speech.tsx'
import { useNumbers } from '../../words/use-numbers.ts'

/** How many domains are offered at once. Where there are more, a search finds the others. */
const maxOffered = 12

interface DomainBoxesProps {
  /** Ids. */
  readonly chosen: readonly string[]
  readonly onToggle: (id: string, on: boolean) => void
}

/** A check box for each domain: of many, for those that are found, and those that are or were chosen. */
export function DomainBoxes({ chosen, onToggle }: DomainBoxesProps) {
  const { words, locale } = useSpeech()
  const { count } = useNumbers()
  const { domains } = useSignedIn().session
  const [text, setText] = useState('')
  /** A box that disappeared when it is cleared would take the focus with it. */
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set(chosen))
  const sought = text.trim().toLocaleLowerCase(locale)
  const matches = domains.filter(({ name }) => name.toLocaleLowerCase(locale).includes(sought))
  const offered = new Set(matches.slice(0, maxOffered).map(({ id }) => id))
  const isMany = domains.length > maxOffered
  return (
    <>
      {isMany ? (
        <label class="field">
          <span>{words.domain}</span>
          <input
            type="search"
            value={text}
            maxLength={128}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
            onKeyDown={(event) => {
              // Enter would send the form around it.
              if (event.key === 'Enter') event.preventDefault()
            }}
          />
        </label>
      ) : null}
      {domains
        .filter(({ id }) => !isMany || kept.has(id) || offered.has(id))
        .map(({ id, name }) => (
          <label key={id} class="choice">
            <input
              type="checkbox"
              name="domain"
              checked={chosen.includes(id)}
              onChange={({ currentTarget }) => {
                setKept(new Set([...kept, id]))
                onToggle(id, currentTarget.checked)
              }}
            />
            <span>
              <bdi>{name}</bdi>
            </span>
          </label>
        ))}
      {isMany ? (
        <small role="status">
          {words.shown(matches.length === 0 ? count(0) : `${count(1)}–${count(offered.size)}`, count(matches.length))}
        </small>
      ) : null}
    </>
  )
}
