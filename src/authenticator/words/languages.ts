import type { Words } from './en.ts'

/** A language of the authenticator. Its texts are loaded on first use. */
export interface Language {
  readonly code: string
  /** The name of the language in the language itself. */
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

/** The first supported language of a list such as `navigator.languages`; otherwise English. */
export function chooseLanguage(wanted: readonly string[]): Language {
  const codes = wanted.map(languageCode)
  const code = codes.find((each) => languages.some((language) => language.code === each))
  return languages.find((language) => language.code === code) ?? english
}

/** The locale for numbers and times: the person's own where it is of this language. */
export function localeOf(language: Language, wanted: readonly string[]): string {
  const locale = wanted.find((each) => languageCode(each) === language.code && isLocale(each)) ?? language.code
  // As on the web pages, with the digits that people type.
  return new Intl.Locale(locale, { numberingSystem: 'latn' }).toString()
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
