/** One wording for each way a language counts; `#` stands for the number. */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string }

/** Words that go with a number, as a language counts. */
export function plurals(language: string): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  return (count, forms) => (forms[rules.select(count)] ?? forms.other).replace('#', numbers.format(count))
}
