import type { ChallengeRequest } from '../request/web-request.ts'
import { layoutOf, sendPage } from './layout.ts'

/** Asks whether to keep recovery codes. */
export function offerPage({ req, res, context }: ChallengeRequest, { token }: { readonly token: string }): void {
  const layout = layoutOf(req, context)
  sendPage(res, 200, 'offer', { ...layout, token, headline: layout.words.recovery.offer })
}

/** Shows new recovery codes, to be printed or kept as a file. */
export function codesPage(
  { req, res, context }: ChallengeRequest,
  { codes, token, next }: { readonly codes: readonly string[]; readonly token: string; readonly next: string },
): void {
  const layout = layoutOf(req, context)
  sendPage(res, 200, 'codes', { ...layout, token, headline: layout.words.recovery.headline, codes, spaced, next })
}

/** The same as a text to keep. */
export function codesFile({ req, context }: ChallengeRequest, codes: readonly string[]): string {
  const { appName, username, words } = layoutOf(req, context)
  const title = [appName, username, words.recovery.headline].filter(Boolean).join(' · ')
  return [title, '', ...codes.map(spaced), '', words.recovery.once, ''].join('\r\n')
}

/** As people copy it. */
const spaced = (code: string): string => code.replace(/(\d{3})(?=\d)/g, '$1 ')
