import { useEffect, useRef } from 'preact/hooks'

/** Calls back again and again while the page is visible. @param interval Milliseconds. */
export function useRepeated(on: boolean, interval: number, callback: () => void): void {
  const latest = useRef(callback)
  latest.current = callback

  useEffect(() => {
    if (!on) return undefined
    const timer = setInterval(() => {
      if (!document.hidden) latest.current()
    }, interval)
    return () => clearInterval(timer)
  }, [on, interval])
}
