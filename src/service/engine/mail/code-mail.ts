import { composeMail } from './compose.ts'
import { mailLanguage, nameIn } from './mail-language.ts'
import type { Mail } from './mailer.ts'

/** The content of the mail. */
export interface CodeMail {
  readonly organization: string
  readonly domain: string
  readonly code: string
  /** How long the code is valid, minutes. */
  readonly minutes: number
  /** BCP 47; null for English. */
  readonly language: string | null
}

/** Composes the mail with a one-time code. */
export async function codeMail({
  minutes,
  language: requestedLanguage,
  ...content
}: CodeMail): Promise<Omit<Mail, 'to'>> {
  const language = await mailLanguage(requestedLanguage)
  const { headline, use, warning } = language.words.code
  const sentences = [use(minutes)]
  return composeMail(language, { ...content, headline: headline(nameIn(language, content.domain)), sentences, warning })
}
