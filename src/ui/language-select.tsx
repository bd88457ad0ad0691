import type { Language } from './languages.ts'

interface LanguageSelectProps<Words> {
  readonly label: string
  readonly languages: readonly Language<Words>[]
  readonly language: Language<Words>
  readonly class?: string
  readonly onLanguage: (language: Language<Words>) => void
}

/** The languages of an app by their own names. */
export function LanguageSelect<Words>(props: LanguageSelectProps<Words>) {
  const { label, languages, language, class: kind = '', onLanguage } = props
  return (
    <label class={`field ${kind}`}>
      <span>{label}</span>
      <select
        value={language.code}
        onChange={({ currentTarget }) => {
          const choice = languages.find(({ code }) => code === currentTarget.value)
          if (choice) onLanguage(choice)
        }}
      >
        {languages.map(({ code, name }) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
