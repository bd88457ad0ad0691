import { useEffect, useState } from 'preact/hooks'

import type { Clock } from '../../ground/clock.ts'
import { useVisible } from './use-visible.ts'

/** Unix time, seconds; updates each second, and at once when the page is visible again: browsers stop its timers meanwhile. */
export function useNow(clock: Clock): number {
  const [now, setNow] = useState(() => clock.now())
  const visible = useVisible()

  useEffect(() => {
    let stop = () => {}
    const tick = () => {
      setNow(clock.now())
      stop = clock.after(1000, tick)
    }
    tick()
    return () => stop()
  }, [clock, visible])

  return now
}
