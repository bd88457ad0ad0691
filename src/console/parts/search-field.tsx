import { useEffect, useRef, useState } from 'preact/hooks'

import { Icon } from '../../ui/icon.tsx'
import { search } from '../../ui/icons.ts'

interface SearchFieldProps {
  readonly label: string
  readonly hint: string
  /** What the results are for, or will be. */
  readonly value: string
  /** Whether the results are there. */
  readonly found: boolean
  readonly onSearch: (text: string) => void
}

/** How long a person pauses before it is searched, milliseconds. */
const pause = 200

/** Searches while the person types. Enter and the down arrow lead to the first result. */
export function SearchField({ label, hint, value, found, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value)

  /** What was searched for last. When it comes back as the value, the person may have typed more. */
  const searched = useRef(value)

  /** Whether the person wants to go on to the first result, as soon as it is there. */
  const leaving = useRef(false)

  function start() {
    searched.current = text
    onSearch(text)
  }
  function leave() {
    leaving.current = true
    if (text === value && found) focusFirst()
    else start()
  }
  function focusFirst() {
    leaving.current = false
    document.querySelector<HTMLElement>('.row-link')?.focus()
  }
  useEffect(() => {
    if (leaving.current && found && text === value) focusFirst()
  }, [found, value])
  useEffect(() => {
    // The back button and links change what is searched for.
    if (value !== searched.current) setText(value)
    searched.current = value
  }, [value])
  useEffect(() => {
    if (text === searched.current) return undefined
    const timer = setTimeout(start, pause)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <form
      role="search"
      class="search"
      onSubmit={(event) => {
        event.preventDefault()
        leave()
      }}
    >
      <Icon path={search} />
      <input
        id="search"
        type="search"
        aria-label={label}
        placeholder={hint}
        value={text}
        maxLength={128}
        autocomplete="off"
        spellcheck={false}
        aria-keyshortcuts="/"
        onInput={({ currentTarget }) => {
          leaving.current = false
          setText(currentTarget.value)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          leave()
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  )
}
