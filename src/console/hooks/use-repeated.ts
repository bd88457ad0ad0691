import { useEffect, useRef } from 'preact/hooks'

/**
 * Calls back again and again while the page is visible, and never before the last call is done: where answers take longer than
 * the interval, each would come after a newer request, and count for nothing.
 *
 * @param interval Milliseconds.
 */
export function useRepeated(on: boolean, interval: number, callback: () => Promise<void>): void {
  const latest = useRef(callback)
  latest.current = callback

  useEffect(() => {
    if (!on) return undefined
    let isRunning = false
    const repeat = async () => {
      if (document.hidden || isRunning) return
      isRunning = true
      try {
        await latest.current()
      } finally {
        isRunning = false
      }
    }
    const timer = setInterval(() => void repeat(), interval)
    return () => clearInterval(timer)
  }, [on, interval])
}
