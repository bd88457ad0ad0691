import { browserName } from '../request/client-facts.ts'
import type { Page } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { layoutOf, page } from './layout.ts'

interface NewPasskeyInput {
  /** The path that the passkey is posted to, below the challenge path. */
  readonly path: 'enroll/passkey' | 'devices/passkey'
  readonly token: string
}

/** Adds a passkey. Its name is suggested from browser and system, because without attestation its maker is not known. */
export function newPasskeyPage(request: WebRequest, { path, token }: NewPasskeyInput): Page {
  const layout = layoutOf(request)
  const isFirst = path === 'enroll/passkey'
  return page(200, 'new-passkey', {
    ...layout,
    typing: true,
    usesPasskeys: true,
    headline: layout.words.newPasskey.headline,
    isFirst,
    path,
    token,
    suggested: browserName(request.req),
    back: isFirst ? layout.base : (request.state.passkeyOffer?.returnTo ?? `${layout.base}/devices`),
  })
}
