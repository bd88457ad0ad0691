import type { Words } from './en.ts'

/** A language the authenticator speaks. Its words are fetched when they are needed. */
export interface Language {
  readonly code: string
  /** What it calls itself. */
  readonly name: string
  readonly direction: 'ltr' | 'rtl'
  readonly load: () => Promise<Words>
}

const english: Language = {
  code: 'en',
  name: 'English',
  direction: 'ltr',
  load: async () => (await import('./en.ts')).en,
}

export const languages: readonly Language[] = [
  english,
  { code: 'de', name: 'Deutsch', direction: 'ltr', load: async () => (await import('./de.ts')).de },
  { code: 'fr', name: 'Français', direction: 'ltr', load: async () => (await import('./fr.ts')).fr },
  { code: 'es', name: 'Español', direction: 'ltr', load: async () => (await import('./es.ts')).es },
  { code: 'pt', name: 'Português', direction: 'ltr', load: async () => (await import('./pt.ts')).pt },
  { code: 'ar', name: 'العربية', direction: 'rtl', load: async () => (await import('./ar.ts')).ar },
]

/** The first language of a person's list that we speak, as `navigator.languages` has it; else English. */
export function chooseLanguage(wanted: readonly string[]): Language {
  const codes = wanted.map(languageCode)
  const code = codes.find((each) => languages.some((language) => language.code === each))
  return languages.find((language) => language.code === code) ?? english
}

/** How numbers and times are written: as at the person's place, where that speaks this language. */
export function localeOf(language: Language, wanted: readonly string[]): string {
  const locale = wanted.find((each) => languageCode(each) === language.code && isLocale(each)) ?? language.code
  // As on the web pages: the digits are those that people type.
  return new Intl.Locale(locale, { numberingSystem: 'latn' }).toString()
}

/** Some systems name theirs in a way of their own, such as `en-US@posix`. */
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
