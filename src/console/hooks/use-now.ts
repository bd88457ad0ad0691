import { useEffect, useState } from 'preact/hooks'

/** Unix time, seconds; updates each second while something is shown that ends. */
export function useNow(ticking: boolean): number {
  const [now, setNow] = useState(present)

  useEffect(() => {
    if (!ticking) return undefined
    setNow(present())
    const timer = setInterval(() => setNow(present()), 1000)
    return () => clearInterval(timer)
  }, [ticking])
  return now
}

const present = (): number => Math.floor(Date.now() / 1000)
