import { useLayoutEffect } from 'preact/hooks'

/** Starts a screen at its top. With large text, the previous one may have been scrolled to a button at its end. */
export function useTop(): void {
  useLayoutEffect(() => scrollTo(0, 0), [])
}
