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

/** The language among ours that a tag (BCP 47) or the name of a system's locale asks for: `de` also serves `de-AT`. */
export function matchLanguage(name: string): LanguageTag | undefined {
  const main = name.toLowerCase().split(/[-_@.]/, 1)[0]
  return (Object.keys(languageNames) as LanguageTag[]).find((tag) => tag === main)
}

/** Whether it is a language tag (BCP 47). */
export function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}

/** The script that a language (BCP 47) is written in by default, as in ISO 15924. */
export function scriptOf(tag: string): string {
  return new Intl.Locale(tag).maximize().script ?? ''
}

export function textDirection(tag: string): 'ltr' | 'rtl' {
  return rightToLeft.has(scriptOf(tag)) ? 'rtl' : 'ltr'
}

/** Scripts in use. */
const rightToLeft: ReadonlySet<string> = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg'])

/** An option of `Intl`: numbers and times have the digits of codes, which people type. */
export const latinDigits = { numberingSystem: 'latn' } as const
