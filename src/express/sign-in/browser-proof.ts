import type { Challenge } from '../../challenge/challenge.ts'
import { BrowserProof } from '../../contract/browser-key.ts'
import { codeKind } from '../pages/code-view.ts'
import { withoutProof } from '../pages/browser-proof-page.ts'
import type { Outcome } from '../request/outcome.ts'
import { continueAt } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { keptCookie } from '../session/id-cookie.ts'
import { withChallenge } from './open-challenge.ts'

/** Whether the page is asked to sign first: only in a browser that was kept, and before anything has started. */
export function needsProof({ req, context }: WebRequest, { sessionId, browserProof }: Challenge): boolean {
  return sessionId === undefined && browserProof === undefined && keptCookie.read(req, context) !== undefined
}

/** The challenge, without a proof if the page has said that it cannot make one. */
export function unlessUnproven({ query }: WebRequest, challenge: Challenge): Challenge {
  const gaveUp = query.has(withoutProof) && challenge.browserProof === undefined
  return gaveUp ? { ...challenge, browserProof: '' } : challenge
}

/**
 * `POST /mfa/browser`: the signature of the page, for every session of this challenge. Only the service verifies it. A page
 * without a key sends none.
 */
export function proveBrowser(request: WebRequest): Promise<Outcome> {
  return withChallenge(request, async ({ state, context, form, ...rest }, challenge) => {
    const { data: browserProof = '' } = BrowserProof.shape.signature.safeParse(form['signature'])
    const use = codeKind(form['use']) ?? (form['use'] === 'other' ? 'other' : undefined)
    const next = use === undefined ? context.base : `${context.base}?use=${use}`
    return {
      state: { save: { ...state, challenge: { ...challenge, browserProof } } },
      answer: continueAt({ state, context, form, ...rest }, next),
    }
  })
}
