import { useEffect, useState } from 'preact/hooks'

import type { Clock } from '../clock.ts'

/** Milliseconds. */
const settling = 400

/**
 * Whether what is shown has been there, and in front, for a moment: a tap meant for what was there before decides nothing.
 * Another page can lay a window of its own over this one, and take it away between the two clicks it asks for.
 */
export function useSettled(clock: Clock): boolean {
  const [settled, setSettled] = useState(false)

  useEffect(() => {
    let stop = () => {}
    const settle = () => {
      stop()
      setSettled(false)
      stop = clock.after(settling, () => setSettled(true))
    }
    settle()
    addEventListener('focus', settle)
    return () => {
      stop()
      removeEventListener('focus', settle)
    }
  }, [clock])

  return settled
}
