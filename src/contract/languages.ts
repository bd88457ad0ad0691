/** The languages of the challenge pages and of the authenticator, by the names their speakers use. */
export const languageNames = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português',
  ja: '日本語',
  ar: 'العربية',
} as const

export type LanguageTag = keyof typeof languageNames

/** The script that a language (BCP 47) is written in by default, as in ISO 15924. */
export function scriptOf(tag: string): string {
  return new Intl.Locale(tag).maximize().script ?? ''
}

export function textDirection(tag: string): 'ltr' | 'rtl' {
  return rightToLeft.has(scriptOf(tag)) ? 'rtl' : 'ltr'
}

/** Scripts in use. */
const rightToLeft: ReadonlySet<string> = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg'])

/** For `Intl`: numbers and times have the digits of codes, which people type. */
export const latinDigits = { numberingSystem: 'latn' } as const
