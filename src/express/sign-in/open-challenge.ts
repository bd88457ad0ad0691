import type { Challenge, NewChallenge } from '../../challenge/challenge.ts'
import { challengeLifetime, createChallenge } from '../../challenge/challenge.ts'
import { userKeyOf } from '../../challenge/user.ts'
import type { Answer, Effects, Outcome } from '../request/outcome.ts'
import { andThen } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { bindBrowser } from '../session/id-cookie.ts'
import { ifOfUser, ifOpen } from '../session/mfa-state.ts'

/** The challenge of a user who opens the page without having been sent there. */
export function defaultChallenge({ user, context }: WebRequest): NewChallenge {
  return { userKey: userKeyOf(user), purpose: 'sign_in', returnTo: `${context.prefix}/` }
}

/** Runs with the challenge of this web session, or with a new one once that is saved. */
export function withChallenge<A = Answer>(
  request: WebRequest,
  run: (request: WebRequest, challenge: Challenge) => Promise<Outcome<A>>,
): Promise<Outcome<A>> {
  const { challenge: current } = request.state
  if (current) return run(request, current)
  const { challenge, effects } = openChallenge(request, defaultChallenge(request))
  return Promise.resolve(andThen(request, effects, (saved) => run(saved, challenge)))
}

/**
 * Reuses the current challenge of this browser if it has the same purpose, so that several tabs share one push request. A browser
 * without a binding cookie gets one with the answer.
 */
export function openChallenge(
  { req, state, context }: WebRequest,
  requested: NewChallenge,
): { readonly challenge: Challenge; readonly effects: Effects } {
  const { clock, random } = context.mfa.options
  const { verified, ownId, shownReplacement, passkeyPass, letThrough, challenge: current } = state
  const { binding, cookies } = bindBrowser(req, context, random)
  const reused = current && isReusable(current, requested, clock.now()) ? current : undefined
  const challenge = reused
    ? { ...reused, returnTo: requested.returnTo, giveUpTo: requested.giveUpTo, carried: requested.carried }
    : {
        ...createChallenge(requested, clock.now(), random),
        binding,
        shownCode: ifOfUser(current, requested.userKey)?.shownCode,
      }
  // The state of another user is not kept beside it.
  const saved = {
    verified: ifOfUser(verified, requested.userKey),
    ownId: ifOfUser(ownId, requested.userKey),
    shownReplacement: ifOfUser(shownReplacement, requested.userKey),
    passkeyPass: ifOfUser(passkeyPass, requested.userKey),
    letThrough: ifOfUser(letThrough, requested.userKey),
    // Its secret may be on the phone already: the page that shows it can be loaded again.
    setup: ifOpen(state.setup, requested.userKey, clock.now()),
    ...(verified?.userKey === requested.userKey && {
      offer: state.offer,
      passkeyOffer: state.passkeyOffer,
      approvals: state.approvals,
      codes: ifOpen(state.codes, requested.userKey, clock.now()),
    }),
    challenge,
    otherChallenges: state.otherChallenges?.filter(({ userKey }) => userKey === requested.userKey),
  }
  const events = reused ? [] : [{ type: 'challenge.opened', purpose: requested.purpose } as const]
  return { challenge, effects: { state: { save: saved }, cookies, events } }
}

function isReusable(current: Challenge, requested: NewChallenge, now: number): boolean {
  return (
    current.userKey === requested.userKey &&
    current.purpose === requested.purpose &&
    current.action === requested.action &&
    String(current.factors) === String(requested.factors) &&
    current.phishingResistant === requested.phishingResistant &&
    current.unknownBrowser === requested.unknownBrowser &&
    now - current.createdAt < challengeLifetime
  )
}
