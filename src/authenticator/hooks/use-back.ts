import { useLayoutEffect, useRef } from 'preact/hooks'

interface Away {
  readonly away: true
}

/**
 * Makes the back key and gesture of a phone lead to the home screen, and not out of the app.
 * A layout effect: the history entry exists before the screen is visible, so no key press comes too early.
 */
export function useBack(away: boolean, onBack: () => void): void {
  const latest = useRef(onBack)
  latest.current = onBack

  useLayoutEffect(() => {
    if (!away) return undefined
    // When the person leaves by a button, the entry stays for the next time: removing it could race with a request that opens.
    if (!isAway(history.state)) history.pushState({ away: true } satisfies Away, '')
    const goBack = () => latest.current()
    addEventListener('popstate', goBack)
    return () => removeEventListener('popstate', goBack)
  }, [away])
}

function isAway(state: unknown): state is Away {
  return typeof state === 'object' && state !== null && 'away' in state
}
