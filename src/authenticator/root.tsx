import { useMemo } from 'preact/hooks'

import type { Device } from '../device/device.ts'
import type { AccountsStore } from './accounts-store.ts'
import { App, type AppProps } from './app.tsx'
import { AppBar } from './app-bar.tsx'
import { useInstall } from './install.ts'
import { CannotRunScreen, type Obstacle } from './screens/cannot-run.tsx'
import { SpeechProvider } from './words/speech.tsx'
import { useLanguage } from './words/use-language.ts'

export interface RootProps extends Pick<AppProps, 'clock' | 'serviceUrl' | 'link'> {
  /** What stands in the way of keeping a key here. */
  readonly obstacle: Obstacle | undefined
  readonly createDevice: () => Device
  readonly createStore: () => AccountsStore
}

/** Everything in the language of the person. */
export function Root({ obstacle, createDevice, createStore, ...props }: RootProps) {
  const { speech, choose } = useLanguage()
  const install = useInstall()
  // Not where something stands in the way: making them needs what is missing then.
  const parts = useMemo(() => (obstacle ? undefined : { device: createDevice(), store: createStore() }), [obstacle])
  if (!speech) return null
  return (
    <SpeechProvider speech={speech}>
      {parts ? (
        <App {...props} {...parts} onLanguage={choose} onInstall={install && (() => void install())} />
      ) : (
        <>
          <AppBar />
          {obstacle ? <CannotRunScreen obstacle={obstacle} /> : null}
        </>
      )}
    </SpeechProvider>
  )
}
