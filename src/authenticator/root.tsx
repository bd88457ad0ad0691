import { useMemo } from 'preact/hooks'

import type { Device } from '../device/device.ts'
import type { AccountsStore } from './accounts/accounts-store.ts'
import { App, type AppProps } from './app.tsx'
import { AppBar } from './parts/app-bar.tsx'
import { useInstall } from './hooks/install.ts'
import { CannotRunScreen, type Obstacle } from './screens/cannot-run.tsx'
import { SpeechProvider } from './words/speech.tsx'
import { useLanguage } from './words/use-language.ts'

export interface RootProps extends Pick<AppProps, 'clock' | 'serviceUrl' | 'link'> {
  /** Why keys cannot be stored here, if so. */
  readonly obstacle: Obstacle | undefined
  readonly createDevice: () => Device
  readonly createStore: () => AccountsStore
}

/** The app in the person's language. */
export function Root({ obstacle, createDevice, createStore, ...props }: RootProps) {
  const { speech, choose } = useLanguage()
  const install = useInstall()
  // Not with an obstacle: creating them needs what is missing.
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
