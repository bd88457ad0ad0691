import { useEffect, useRef } from 'preact/hooks'

import type { Clock } from '../../ground/clock.ts'
import { useVisible } from './use-visible.ts'

/** The pause between the end of a call and the next one, milliseconds. */
const interval = 1500

/** Repeats a call while it is wanted and the page is visible. Failures are tried again: the caller's own time ends it. */
export function useRepeated(clock: Clock, isActive: boolean, call: () => Promise<void>): void {
  const visible = useVisible()
  const latest = useRef(call)
  latest.current = call

  useEffect(() => {
    if (!isActive || !visible.now) return undefined
    let stopped = false
    let stop = () => {}
    const repeat = () => {
      const next = () => {
        if (!stopped) stop = clock.after(interval, repeat)
      }
      void latest.current().then(next, next)
    }
    stop = clock.after(interval, repeat)
    return () => {
      stopped = true
      stop()
    }
  }, [clock, isActive, visible])
}
