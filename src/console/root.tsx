import { useLanguage } from '../ui/use-language.ts'
import { App, type AppProps } from './app.tsx'
import { mount } from './session/mount.ts'
import { RouterProvider } from './session/router.tsx'
import { languages } from './words/languages.ts'
import { SpeechProvider } from './words/speech.tsx'

/** The console in the person's language. */
export function Root({ invitation }: Pick<AppProps, 'invitation'>) {
  const { speech, choose } = useLanguage(languages)
  if (!speech) return null
  return (
    <SpeechProvider speech={speech}>
      <RouterProvider mount={mount.pathname}>
        <App invitation={invitation} onLanguage={choose} />
      </RouterProvider>
    </SpeechProvider>
  )
}
