import { createLanguages, type Language as LanguageOf } from '../../ui/languages.ts'
import type { Words } from '../texts/en.ts'
import { loadTexts } from '../texts/load.ts'

export type Language = LanguageOf<Words>

export const languages = createLanguages<Words>(loadTexts)
