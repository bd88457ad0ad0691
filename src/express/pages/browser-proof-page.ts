import { hash } from 'node:crypto'

import type { Challenge } from '../../challenge/challenge.ts'
import type { Page } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { layoutOf, page } from './layout.ts'

/** Marks the address of the challenge where the page cannot sign, such as without JavaScript. */
export const withoutProof = 'unproven'

/** Has the script sign the challenge with the key of the browser, and goes on at once. */
export function browserProofPage(request: WebRequest, challenge: Challenge): Page {
  const layout = layoutOf(request)
  const use = request.query.get('use')
  return page(200, 'browser-proof', {
    ...layout,
    token: challenge.page,
    headline: layout.words.browserProof.headline,
    proof: hash('sha256', challenge.id, 'base64url'),
    use: use ?? '',
    usesBrowserKey: true,
    withoutScript: `${layout.base}?${withoutProof}`,
  })
}
