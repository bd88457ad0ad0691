import { parseActivationCode, parseActivationLink } from '../device/service-url.ts'

/** The activation code of an address of this page, taken out of the address bar and the history at once. */
export function takeCode(): string | undefined {
  const link = parseActivationLink(pageAddress())
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search)
  return link?.code
}

export type Typed = { readonly code: string } | { readonly wrong: 'badCode' | 'otherAddress' }

/** What a person typed or pasted: a code, a link to this page, or neither. */
export function readTyped(text: string, serviceUrl: string): Typed {
  const link = parseActivationLink(text.trim())
  if (link) return link.serviceUrl === serviceUrl ? { code: link.code } : { wrong: 'otherAddress' }
  const code = parseActivationCode(text)
  return code === undefined ? { wrong: 'badCode' } : { code }
}

/** The address of the folder, also where the page was opened as `index.html`. */
function pageAddress(): URL {
  const url = new URL('.', location.href)
  url.hash = location.hash
  return url
}
