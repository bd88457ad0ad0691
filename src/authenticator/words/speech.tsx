import { createSpeech, type Speech as SpeechOf } from '../../ui/speech.tsx'
import type { Words } from '../texts/en.ts'

export type Speech = SpeechOf<Words>

export const { SpeechProvider, useSpeech, useWords } = createSpeech<Words>()
