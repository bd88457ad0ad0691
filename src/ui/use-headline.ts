import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/**
 * Focuses the headline of a screen when it appears: screen readers start there.
 *
 * @param within What the screen is in: a field of it that already has the focus keeps it.
 */
export function useHeadline(within: string): RefObject<HTMLHeadingElement | null> {
  const headline = useRef<HTMLHeadingElement>(null)

  // A layout effect: after the screen is drawn, the person may be typing already.
  useLayoutEffect(() => {
    if (!headline.current?.closest(within)?.contains(document.activeElement)) headline.current?.focus()
  }, [])
  return headline
}
