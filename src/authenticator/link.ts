import { parseActivationCode, parseActivationLink } from '../device/service-url.ts'

/** What an address of this page asks for, in its fragment: that goes to no server, and into no log. */
export interface Link {
  /** To add an account: `#add`, or `#code=…` of an activation link. */
  readonly add: boolean
  readonly code: string | undefined
  /** To look at the offline codes: `#codes`. */
  readonly codes: boolean
  /** The session a notification was about: `#request=…`. */
  readonly request: string | undefined
}

/** Reads what the page was opened for, and takes it out of the address bar and the history at once. */
export function takeLink(): Link {
  const code = parseActivationLink(pageAddress())?.code
  const wanted = new URLSearchParams(location.hash.slice(1))
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search)
  return {
    add: code !== undefined || wanted.has('add'),
    code,
    codes: wanted.has('codes'),
    request: wanted.get('request') ?? undefined,
  }
}

export type Typed = { readonly code: string } | { readonly wrong: 'badCode' | 'otherAddress' }

/** What a person typed or pasted, or the camera read: a code, a link to this page, or neither. */
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
