import { useLayoutEffect, useRef } from 'preact/hooks'

interface Away {
  readonly away: true
}

/**
 * The back key and gesture of a phone lead home, as in every app, and not out of it.
 * A layout effect: the entry is in the history before the screen can be seen, so no press of the key comes too early.
 */
export function useBack(away: boolean, onBack: () => void): void {
  const latest = useRef(onBack)
  latest.current = onBack

  useLayoutEffect(() => {
    if (!away) return undefined
    // Left by a button, the entry stays for the next time: taking it back would cross with what opens by itself meanwhile.
    if (!isAway(history.state)) history.pushState({ away: true } satisfies Away, '')
    const back = () => latest.current()
    addEventListener('popstate', back)
    return () => removeEventListener('popstate', back)
  }, [away])
}

function isAway(state: unknown): state is Away {
  return typeof state === 'object' && state !== null && 'away' in state
}
