import { useCallback, useEffect, useState } from 'preact/hooks'

import { forget, recall, remember } from '../remembered.ts'
import { chooseLanguage, type Language, localeOf } from './languages.ts'
import { keepNotice } from './notice.ts'
import type { Speech } from './speech.tsx'

export interface SpokenLanguage {
  /** Undefined until its words are there. */
  readonly speech: Speech | undefined
  readonly choose: (language: Language) => void
}

/** The language a person chose here, or the first of the browser's that we speak. */
export function useLanguage(): SpokenLanguage {
  const [language, setLanguage] = useState(spokenLanguage)
  const [speech, setSpeech] = useState<Speech>()

  useEffect(() => {
    let late = false
    const speak = async () => {
      const words = await language.load()
      if (late) return
      label(language)
      setSpeech({ language, words, locale: localeOf(language, navigator.languages) })
      const { code: lang, direction: dir } = language
      // Where it does not work there are no notifications either.
      const change = { title: words.factorChanged, body: words.factorChangedBody }
      await keepNotice({ title: words.noticeTitle, body: words.noticeBody, change, lang, dir }).catch(() => undefined)
    }
    // Without a connection another language may not be there: then we go on in this one.
    speak().catch(() => forget('language'))
    return () => void (late = true)
  }, [language])

  const choose = useCallback((chosen: Language) => {
    remember('language', chosen.code)
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

function spokenLanguage(): Language {
  const remembered = recall('language')
  return chooseLanguage([...(remembered === undefined ? [] : [remembered]), ...navigator.languages])
}
