import { LanguageSelect } from '../../ui/language-select.tsx'
import { type Language, languages } from '../words/languages.ts'
import { useSpeech } from '../words/speech.tsx'

export interface LanguageChoiceProps {
  readonly onLanguage: (language: Language) => void
}

export function LanguageChoice({ onLanguage }: LanguageChoiceProps) {
  const { words, language } = useSpeech()
  const choiceProps = { languages, language, onLanguage }
  return <LanguageSelect class="language" label={words.language} {...choiceProps} />
}
