/** One text for each plural form of a language; `#` stands for the number. */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string }

/** Chooses the plural form for a number, which is written in the digits of codes, as all others are. */
export function plurals(language: string): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language, { numberingSystem: 'latn' })
  return (count, forms) => (forms[rules.select(count)] ?? forms.other).replace('#', numbers.format(count))
}
