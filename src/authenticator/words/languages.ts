import { type LanguageTag, languageNames, latinDigits, textDirection } from '../../contract/languages.ts'
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
  const codes = wanted.map(languageCode)
  const code = codes.find((each) => languages.some((language) => language.code === each))
  return languages.find((language) => language.code === code) ?? languageOf('en')
}

/** The locale for numbers and times: the person's own where it is of this language. */
export function localeOf(language: Language, wanted: readonly string[]): string {
  const locale = wanted.find((each) => languageCode(each) === language.code && isLocale(each)) ?? language.code
  return new Intl.Locale(locale, latinDigits).toString()
}

/** Some systems use invalid names, such as `en-US@posix`. */
function isLocale(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).length > 0
  } catch {
    return false
  }
}

function languageCode(locale: string): string {
  return locale.toLowerCase().split(/[-_@.]/, 1)[0] ?? ''
}
