import { useEffect, useRef, useState } from 'preact/hooks'

import { useRouter } from '../session/router.tsx'

/** The key `/` leads to the search from everywhere, unless the person is typing. */
export function useSearchKey(): void {
  const { place, go } = useRouter()
  const [, setPresses] = useState(0)
  const focusRequested = useRef(false)

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      event.preventDefault()
      // At once where it can be: what is typed before the next render would be lost.
      if (focusSearch()) return
      focusRequested.current = true
      if (place.path !== 'people') go('people')
      setPresses((before) => before + 1)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [place.path])

  // Runs after each render, until the search has appeared.
  useEffect(() => {
    if (focusRequested.current && focusSearch()) focusRequested.current = false
  })
}

/** @returns whether the page has a search. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('#search')
  field?.focus()
  field?.select()
  return field !== null
}

/** Counts a dialog as well, because the page behind it does not change. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('input:not([type=radio], [type=checkbox]), textarea, select, dialog') !== null
