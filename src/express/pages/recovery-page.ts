import type { Page } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { layoutOf, page } from './layout.ts'

/** Offers recovery codes. */
export function offerPage(request: WebRequest, { token }: { readonly token: string }): Page {
  const layout = layoutOf(request)
  return page(200, 'offer', { ...layout, token, headline: layout.words.recovery.offer })
}

/** Shows new recovery codes, to be printed or saved as a file. */
export function codesPage(
  request: WebRequest,
  { codes, token }: { readonly codes: readonly string[]; readonly token: string },
): Page {
  const layout = layoutOf(request)
  return page(200, 'codes', { ...layout, token, headline: layout.words.recovery.headline, codes, spaced: groupDigits })
}

/** Asks users who come back to the page of codes that they have seen. */
export function codesAgainPage(request: WebRequest, { token }: { readonly token: string }): Page {
  const layout = layoutOf(request)
  return page(200, 'codes-again', { ...layout, token, headline: layout.words.recovery.seen })
}

/** The same as the text of a file. */
export function codesFile(request: WebRequest, codes: readonly string[]): string {
  const { appName, person, words } = layoutOf(request)
  const title = [appName, person?.username ?? person?.name, words.recovery.headline].filter(Boolean).join(' · ')
  return [title, '', ...codes.map(groupDigits), '', words.recovery.once, ''].join('\r\n')
}

/** A code in groups of three, for copying. */
const groupDigits = (code: string): string => code.replace(/(\d{3})(?=\d)/g, '$1 ')
