import {
  isLanguageTag,
  type LanguageTag,
  languageNames,
  latinDigits,
  matchLanguage,
  textDirection,
} from '../../contract/languages.ts'
import type { Words } from './en.ts'

/** A language of the authenticator. Its texts are loaded on first use. */
export interface Language {
  readonly code: LanguageTag
  /** The name of the language in the language itself. */
  readonly name: string
  readonly direction: 'ltr' | 'rtl'
  readonly load: () => Promise<Words>
}

const texts: Readonly<Record<LanguageTag, () => Promise<Words>>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  fr: async () => (await import('./fr.ts')).fr,
  es: async () => (await import('./es.ts')).es,
  pt: async () => (await import('./pt.ts')).pt,
  ja: async () => (await import('./ja.ts')).ja,
  ar: async () => (await import('./ar.ts')).ar,
}

const languageOf = (code: LanguageTag): Language => ({
  code,
  name: languageNames[code],
  direction: textDirection(code),
  load: texts[code],
})

export const languages: readonly Language[] = (Object.keys(texts) as LanguageTag[]).map(languageOf)

/** The first supported language of a list such as `navigator.languages`; otherwise English. */
export function chooseLanguage(wanted: readonly string[]): Language {
  const code = wanted.map(matchLanguage).find((each) => each !== undefined)
  return languages.find((language) => language.code === code) ?? languageOf('en')
}

/** The locale for numbers and times: the person's own where it is of this language. */
export function localeOf(language: Language, wanted: readonly string[]): string {
  // Some systems use invalid names, such as `en-US@posix`.
  const locale = wanted.find((each) => matchLanguage(each) === language.code && isLanguageTag(each)) ?? language.code
  return new Intl.Locale(locale, latinDigits).toString()
}
