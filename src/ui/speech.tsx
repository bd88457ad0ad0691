import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'

import type { Language } from './languages.ts'

/** The current language: its texts and its locale. */
export interface Speech<Words> {
  readonly language: Language<Words>
  readonly words: Words
  /** The locale for `Intl`. */
  readonly locale: string
}

interface SpeechProviderProps<Words> {
  readonly speech: Speech<Words>
  readonly children: ComponentChildren
}

/** How the parts of an app know its current language. */
export function createSpeech<Words>() {
  const Spoken = createContext<Speech<Words> | undefined>(undefined)

  function SpeechProvider({ speech, children }: SpeechProviderProps<Words>) {
    return <Spoken.Provider value={speech}>{children}</Spoken.Provider>
  }
  function useSpeech(): Speech<Words> {
    const speech = useContext(Spoken)
    if (!speech) throw new TypeError('useSpeech needs a SpeechProvider above it')
    return speech
  }
  return { SpeechProvider, useSpeech, useWords: () => useSpeech().words }
}
