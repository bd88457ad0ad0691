import { useCallback, useEffect, useState } from 'preact/hooks'

import { deletePreference, readPreference, savePreference } from '../preferences.ts'
import { chooseLanguage, type Language, localeOf } from './languages.ts'
import { storeNotice } from './notice.ts'
import type { Speech } from './speech.tsx'

export interface LanguageChoice {
  /** Undefined until its texts are loaded. */
  readonly speech: Speech | undefined
  readonly choose: (language: Language) => void
}

/** The language that the person chose here, or the first supported language of the browser. */
export function useLanguage(): LanguageChoice {
  const [language, setLanguage] = useState(preferredLanguage)
  const [speech, setSpeech] = useState<Speech>()

  useEffect(() => {
    let late = false
    const speak = async () => {
      const words = await language.load()
      if (late) return
      label(language)
      setSpeech({ language, words, locale: localeOf(language, navigator.languages) })
      const { code: lang, direction: dir } = language
      // Where this fails, there are no notifications either.
      const change = { title: words.factorChanged, body: words.factorChangedBody }
      const test = { title: words.testTitle, body: words.testBody }
      await storeNotice({ title: words.noticeTitle, body: words.noticeBody, change, test, lang, dir }).catch(
        () => undefined,
      )
    }
    // Without a connection another language may not load: the present one stays.
    speak().catch(() => deletePreference('language'))
    return () => void (late = true)
  }, [language])

  const choose = useCallback((chosen: Language) => {
    savePreference('language', chosen.code)
    setLanguage(chosen)
  }, [])
  return { speech, choose }
}

function label({ code, direction }: Language): void {
  document.documentElement.lang = code
  document.documentElement.dir = direction
  const manifest = document.querySelector<HTMLLinkElement>('link[rel=manifest]')
  if (manifest) manifest.href = code === 'en' ? './manifest.webmanifest' : `./manifest.${code}.webmanifest`
}

function preferredLanguage(): Language {
  const remembered = readPreference('language')
  return chooseLanguage([...(remembered === undefined ? [] : [remembered]), ...navigator.languages])
}
