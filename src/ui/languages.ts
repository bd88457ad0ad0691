import {
  isLanguageTag,
  type LanguageTag,
  languageNames,
  latinDigits,
  matchLanguage,
  textDirection,
} from '../contract/languages.ts'

/** A language of an app. Its texts are loaded on first use. */
export interface Language<Words> {
  readonly code: LanguageTag
  /** The name of the language in the language itself. */
  readonly name: string
  readonly direction: 'ltr' | 'rtl'
  readonly load: () => Promise<Words>
}

export function createLanguages<Words>(
  texts: Readonly<Record<LanguageTag, () => Promise<Words>>>,
): readonly Language<Words>[] {
  return (Object.keys(texts) as LanguageTag[]).map((code) => ({
    code,
    name: languageNames[code],
    direction: textDirection(code),
    load: texts[code],
  }))
}

/** The first supported language of a list such as `navigator.languages`; otherwise English. */
export function chooseLanguage<Words>(languages: readonly Language<Words>[], tags: readonly string[]): Language<Words> {
  const code = tags.map(matchLanguage).find((each) => each !== undefined) ?? 'en'
  const savedLanguage = languages.find((language) => language.code === code)
  if (!savedLanguage) throw new TypeError(`there are no texts for ${code}`)
  return savedLanguage
}

/** The locale for numbers and times: the person's own where it is of this language. */
export function localeOf({ code }: Pick<Language<unknown>, 'code'>, tags: readonly string[]): string {
  // Some systems use invalid names, such as `en-US@posix`.
  const locale = tags.find((each) => matchLanguage(each) === code && isLanguageTag(each)) ?? code
  return new Intl.Locale(locale, latinDigits).toString()
}
