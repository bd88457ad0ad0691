import { useEffect, useState } from 'preact/hooks'

/** Unix time, seconds; updates each second while something is shown that ends. */
export function useNow(ticking: boolean): number {
  const [now, setNow] = useState(currentTime)

  useEffect(() => {
    if (!ticking) return undefined
    setNow(currentTime())
    const timer = setInterval(() => setNow(currentTime()), 1000)
    return () => clearInterval(timer)
  }, [ticking])
  return now
}

const currentTime = (): number => Math.floor(Date.now() / 1000)
