import { createSpeech } from '../../ui/speech.tsx'
import type { Words } from '../texts/en.ts'

export const { SpeechProvider, useSpeech, useWords } = createSpeech<Words>()
