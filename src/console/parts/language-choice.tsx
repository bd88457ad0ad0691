import { type Language, languages } from '../words/languages.ts'
import { useSpeech } from '../words/speech.tsx'

export interface LanguageChoiceProps {
  readonly onLanguage: (language: Language) => void
}

export function LanguageChoice({ onLanguage }: LanguageChoiceProps) {
  const { words, language } = useSpeech()
  return (
    <label class="field language">
      <span>{words.language}</span>
      <select
        value={language.code}
        onChange={({ currentTarget }) => {
          const chosen = languages.find(({ code }) => code === currentTarget.value)
          if (chosen) onLanguage(chosen)
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
