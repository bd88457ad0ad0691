import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'

import type { Words } from './en.ts'
import type { Language } from './languages.ts'

/** The present language: its texts and its locale. */
export interface Speech {
  readonly language: Language
  readonly words: Words
  /** For `Intl`. */
  readonly locale: string
}

const Spoken = createContext<Speech | undefined>(undefined)

export function SpeechProvider({
  speech,
  children,
}: {
  readonly speech: Speech
  readonly children: ComponentChildren
}) {
  return <Spoken.Provider value={speech}>{children}</Spoken.Provider>
}

export function useSpeech(): Speech {
  const speech = useContext(Spoken)
  if (!speech) throw new TypeError('useSpeech needs a SpeechProvider above it')
  return speech
}

export function useWords(): Words {
  return useSpeech().words
}
