import { useEffect, useState } from 'preact/hooks'

import type { Clock } from '../../ground/clock.ts'

/** Milliseconds. */
const inputDelay = 400

/**
 * Whether the screen has been visible and in front for a moment, so that a tap that was meant for the previous screen is
 * ignored. Another page could also open a window over this one, and close it between two clicks (clickjacking).
 */
export function useInputDelay(clock: Clock): boolean {
  const [ready, setReady] = useState(false)

  useEffect(() => {
    let stop = () => {}
    const restart = () => {
      stop()
      setReady(false)
      stop = clock.after(inputDelay, () => setReady(true))
    }
    restart()
    addEventListener('focus', restart)
    return () => {
      stop()
      removeEventListener('focus', restart)
    }
  }, [clock])

  return ready
}
