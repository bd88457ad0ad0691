import { layoutOf, page } from '../pages/layout.ts'
import { withFormToken } from '../request/form.ts'
import type { Outcome } from '../request/outcome.ts'
import { continueAt, redirect } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { passkeyOfferCookie } from '../session/id-cookie.ts'
import { declinedBy, declinedFor } from '../sign-in/passkey-offer.ts'
import { seen } from './guarded.ts'

/** `GET /mfa/passkeys`: offers a passkey, once, to users who have signed in another way. */
export const offerPasskey = seen((request) => {
  const { passkeyOffer } = request.state
  if (!passkeyOffer) return { state: 'as-is', answer: redirect(`${request.context.prefix}/`) }
  const { token, state } = withFormToken(request)
  const layout = layoutOf(request)
  return {
    state: state === request.state ? 'as-is' : { save: state },
    answer: page(200, 'passkey-offer', { ...layout, token, headline: layout.words.newPasskey.offer.headline }),
  }
})

/** `POST /mfa/passkeys/decline`: not now, or never in this browser. */
export function declinePasskey(request: WebRequest): Outcome {
  const { req, context, form } = request
  const { passkeyOffer, ...state } = request.state
  const seconds = declinedFor[form['until'] === 'never' ? 'never' : 'later']
  return {
    state: { save: state },
    cookies: passkeyOfferCookie.write(req, context, { id: declinedBy(request), seconds }),
    answer: continueAt(request, passkeyOffer?.returnTo ?? `${context.prefix}/`),
  }
}
