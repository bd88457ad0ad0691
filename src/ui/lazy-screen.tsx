import type { ComponentType, FunctionComponent } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** The content in place of a screen; nothing by default. */
export interface Substitutes<P> {
  readonly loading?: FunctionComponent<P>
  /** After an update of the service, the script of the screen may no longer exist. Without a substitute, the page offers to be loaded again. */
  readonly failed?: FunctionComponent<P>
}

/** A screen that is loaded when it is first shown, because few people need it and the app has to open fast. */
export function lazyScreen<P extends object>(
  load: () => Promise<ComponentType<P>>,
  { loading, failed }: Substitutes<P> = {},
): FunctionComponent<P> {
  let loaded: ComponentType<P> | undefined
  return function LazyScreen(props: P) {
    const [Screen, setScreen] = useState<ComponentType<P> | undefined>(() => loaded ?? loading)
    // A layout effect: loading does not wait for the next frame.
    useLayoutEffect(() => {
      const show = (screen: ComponentType<P>) => {
        loaded = screen
        setScreen(() => screen)
      }
      const fail = () => {
        setScreen(() => failed)
        // Browsers remember that a script was missing: it stays away until the page is loaded again, which the page then offers.
        if (!failed) document.querySelector('.not-loaded')?.classList.add('part')
      }
      void load().then(show, fail)
    }, [])
    return Screen ? <Screen {...props} /> : null
  }
}
