import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { Eta } from 'eta'

import { mailLanguage } from '../../engine/mail/mail-language.ts'

const eta = new Eta({ views: fileURLToPath(new URL('views', import.meta.url)) })
const style = readFileSync(new URL('views/page.css', import.meta.url), 'utf8')

/** The message of the page: the question, what was done, that the link is over, or that the service does not answer. */
export type PageState =
  | { readonly name: 'question' | 'done'; readonly headline: string }
  | { readonly name: 'over' | 'later' }

/** Renders the page of a mail, without a script. @param language BCP 47; null for English. */
export async function createNotMePage(state: PageState, language: string | null): Promise<string> {
  const { tag, direction, words } = await mailLanguage(language)
  const headline = 'headline' in state ? state.headline : undefined
  return eta.render('page', { style, tag, direction, words: words.notMe, state: state.name, headline })
}

/** Allows the style and the one form. The address of the page is a secret, so it is named to no other page. */
export const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}
