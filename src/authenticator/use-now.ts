import { useEffect, useState } from 'preact/hooks'

import type { Clock } from '../clock.ts'

/** Unix time, seconds; updates each second. */
export function useNow(clock: Clock): number {
  const [now, setNow] = useState(() => clock.now())

  useEffect(() => {
    let stop = () => {}
    const tick = () => {
      setNow(clock.now())
      stop = clock.after(1000, tick)
    }
    stop = clock.after(1000, tick)
    return () => stop()
  }, [clock])

  return now
}
