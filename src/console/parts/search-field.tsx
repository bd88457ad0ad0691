import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

import { Icon } from '../../ui/icon.tsx'
import { search } from '../../ui/icons.ts'

interface SearchFieldProps {
  readonly label: string
  readonly hint: string
  /** The text that the results belong to, or will belong to. */
  readonly value: string
  /** Whether the results are there. */
  readonly found: boolean
  readonly onSearch: (text: string) => void
  /** Has the focus from the start. */
  readonly autofocus?: boolean
  /** The action of Enter on the results; by default it leads to the first one. */
  readonly onEnter?: (() => void) | undefined
}

/** How long a person pauses before it is searched, milliseconds. */
const pause = 200

/** Searches while the person types. Enter and the down arrow lead to the first result. */
export function SearchField({ label, hint, value, found, onSearch, autofocus, onEnter }: SearchFieldProps) {
  const [text, setText] = useState(value)

  /** The last text that was searched for. When it comes back as the value, the person may have typed more. */
  const searchedText = useRef(value)

  /** The action that the person wants on the results, as soon as they arrive. */
  const leaving = useRef<'enter' | 'down'>(undefined)

  const field = useRef<HTMLInputElement>(null)

  function start() {
    searchedText.current = text
    onSearch(text)
  }
  function leave(by: 'enter' | 'down') {
    leaving.current = by
    if (text === value && found) leaveNow()
    else start()
  }
  function leaveNow() {
    const by = leaving.current
    leaving.current = undefined
    if (by === 'enter' && onEnter) onEnter()
    else if (by) focusFirst()
  }
  useEffect(() => {
    if (found && text === value) leaveNow()
  }, [found, value])
  useLayoutEffect(() => {
    if (autofocus) field.current?.focus()
  }, [])
  useEffect(() => {
    // The back button and links change what is searched for.
    if (value !== searchedText.current) setText(value)
    searchedText.current = value
  }, [value])
  useEffect(() => {
    if (text === searchedText.current) return undefined
    const timer = setTimeout(start, pause)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <form
      role="search"
      class="search"
      onSubmit={(event) => {
        event.preventDefault()
        leave('enter')
      }}
    >
      <Icon path={search} />
      <input
        ref={field}
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
          leaving.current = undefined
          setText(currentTarget.value)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          leave('down')
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  )
}

const focusFirst = (): void => document.querySelector<HTMLElement>('.row-link')?.focus()
