import { useCallback, useEffect, useState } from 'preact/hooks'

import { chooseLanguage, type Language, localeOf } from './languages.ts'
import { deletePreference, readPreference, savePreference } from './preferences.ts'
import type { Speech } from './speech.tsx'

export interface LanguageChoice<Words> {
  /** Undefined until its texts are loaded. */
  readonly speech: Speech<Words> | undefined
  readonly choose: (language: Language<Words>) => void
}

/**
 * The language that the person chose here, or the first supported language of the browser.
 *
 * @param onChange Called with each language, once its texts are loaded.
 */
export function useLanguage<Words>(
  languages: readonly Language<Words>[],
  onChange: (language: Language<Words>, words: Words) => void = () => {},
): LanguageChoice<Words> {
  const [language, setLanguage] = useState(() => preferredLanguage(languages))
  const [speech, setSpeech] = useState<Speech<Words>>()

  useEffect(() => {
    let late = false
    const speak = async () => {
      const words = await language.load()
      if (late) return
      document.documentElement.lang = language.code
      document.documentElement.dir = language.direction
      setSpeech({ language, words, locale: localeOf(language, navigator.languages) })
      onChange(language, words)
    }
    // Without a connection another language may not load: the current one stays.
    speak().catch(() => deletePreference('language'))
    return () => void (late = true)
  }, [language])

  const choose = useCallback((choice: Language<Words>) => {
    savePreference('language', choice.code)
    setLanguage(choice)
  }, [])
  return { speech, choose }
}

function preferredLanguage<Words>(languages: readonly Language<Words>[]): Language<Words> {
  const remembered = readPreference('language')
  return chooseLanguage(languages, [...(remembered === undefined ? [] : [remembered]), ...navigator.languages])
}
