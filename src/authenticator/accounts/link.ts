import { parseActivationCode, parseActivationLink, parseMoveLink } from '../../device/service-url.ts'

/** The action that the fragment of the page's address requests. Fragments are not sent to servers, and so not logged. */
export interface Link {
  /** Add an account: `#add`, `#code=…` of an activation link, or `#move=…` of an old phone. */
  readonly add: boolean
  readonly code: string | undefined
  /** Show the offline codes: `#codes`. */
  readonly codes: boolean
  /** Try out a request: `#test`, of the notification of a test. */
  readonly test: boolean
  /** The session of a notification: `#request=…`. */
  readonly request: string | undefined
}

/** Reads what the page was opened for, and removes it from the address bar and the history at once. */
export function takeLink(): Link {
  const code = (parseActivationLink(pageAddress()) ?? parseMoveLink(pageAddress()))?.code
  const parameters = new URLSearchParams(location.hash.slice(1))
  // Where the app then does not load, the page is loaded again with it.
  document.querySelector('.not-loaded')?.setAttribute('action', location.href)
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search)
  return {
    add: code !== undefined || parameters.has('add'),
    code,
    codes: parameters.has('codes'),
    test: parameters.has('test'),
    request: parameters.get('request') ?? undefined,
  }
}

export type CodeInput = { readonly code: string } | { readonly wrong: 'badCode' | 'otherAddress' }

/** Parses typed, pasted or scanned text: a code, a link to this page, or neither. */
export function parseCodeInput(text: string, serviceUrl: string): CodeInput {
  const link = parseActivationLink(text.trim()) ?? parseMoveLink(text.trim())
  if (link) return link.serviceUrl === serviceUrl ? { code: link.code } : { wrong: 'otherAddress' }
  const code = parseActivationCode(text)
  return code === undefined ? { wrong: 'badCode' } : { code }
}

/** The address of the page's folder with the fragment, also when the page was opened as `index.html`. */
function pageAddress(): URL {
  const url = new URL('.', location.href)
  url.hash = location.hash
  return url
}
