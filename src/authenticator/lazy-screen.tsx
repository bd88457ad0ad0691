import type { ComponentType, FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** A screen that is loaded when it is first shown, because few people need it and the app has to open fast. */
export function lazyScreen<P extends object>(load: () => Promise<ComponentType<P>>): FunctionComponent<P> {
  let loaded: ComponentType<P> | undefined
  return function LazyScreen(props: P) {
    const [Screen, setScreen] = useState(() => loaded)
    useEffect(() => {
      const show = (screen: ComponentType<P>) => {
        loaded = screen
        setScreen(() => screen)
      }
      // Installed, the app has all its files. Otherwise the person goes back, and tries again.
      if (!Screen) void load().then(show, () => {})
    }, [Screen])
    return Screen ? <Screen {...props} /> : null
  }
}
