import { createLanguages, type Language as LanguageOf } from '../../ui/languages.ts'
import type { Words } from './en.ts'

export type Language = LanguageOf<Words>

export const languages = createLanguages<Words>({
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  fr: async () => (await import('./fr.ts')).fr,
  es: async () => (await import('./es.ts')).es,
  pt: async () => (await import('./pt.ts')).pt,
  ja: async () => (await import('./ja.ts')).ja,
  ar: async () => (await import('./ar.ts')).ar,
})
