import type { Challenge, NewChallenge } from '../../challenge/challenge.ts'
import { challengeLifetime, createChallenge } from '../../challenge/challenge.ts'
import { userKeyOf } from '../../challenge/user.ts'
import type { Answer, Effects, Outcome } from '../request/outcome.ts'
import { andThen } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { bindBrowser } from '../session/binding.ts'
import { ifOfUser } from '../session/mfa-state.ts'

/** The challenge of a user who opens the page without having been sent there. */
export function defaultChallenge({ user, context }: WebRequest): NewChallenge {
  return { userKey: userKeyOf(user), purpose: 'sign_in', returnTo: `${context.prefix}/` }
}

/** Runs with the challenge of this web session, or with a new one once that is saved. */
export function withChallenge<A = Answer>(
  request: WebRequest,
  run: (request: WebRequest, challenge: Challenge) => Promise<Outcome<A>>,
): Promise<Outcome<A>> {
  const { challenge: present } = request.state
  if (present) return run(request, present)
  const { challenge, effects } = openChallenge(request, defaultChallenge(request))
  return Promise.resolve(andThen(request, effects, (saved) => run(saved, challenge)))
}

/**
 * Reuses the present challenge of this browser if it has the same purpose, so that several tabs share one push request. A browser
 * without a binding cookie gets one with the answer.
 */
export function openChallenge(
  { req, state, context }: WebRequest,
  wanted: NewChallenge,
): { readonly challenge: Challenge; readonly effects: Effects } {
  const { clock, random } = context.mfa.options
  const { verified, ownId, shownReplacement, passkeyPass, challenge: present } = state
  const { binding, cookies } = bindBrowser(req, context, random)
  const reused = present && isReusable(present, wanted, clock.now()) ? present : undefined
  const challenge = reused
    ? { ...reused, returnTo: wanted.returnTo, giveUpTo: wanted.giveUpTo, carried: wanted.carried }
    : {
        ...createChallenge(wanted, clock.now(), random),
        binding,
        shownCode: ifOfUser(present, wanted.userKey)?.shownCode,
      }
  // The state of another user is not kept beside it.
  const saved = {
    verified: ifOfUser(verified, wanted.userKey),
    ownId: ifOfUser(ownId, wanted.userKey),
    shownReplacement: ifOfUser(shownReplacement, wanted.userKey),
    passkeyPass: ifOfUser(passkeyPass, wanted.userKey),
    ...(verified?.userKey === wanted.userKey && { offer: state.offer, passkeyOffer: state.passkeyOffer }),
    challenge,
    otherChallenges: state.otherChallenges?.filter(({ userKey }) => userKey === wanted.userKey),
  }
  const events = reused ? [] : [{ type: 'challenge.opened', purpose: wanted.purpose } as const]
  return { challenge, effects: { state: { save: saved }, cookies, events } }
}

function isReusable(present: Challenge, wanted: NewChallenge, now: number): boolean {
  return (
    present.userKey === wanted.userKey &&
    present.purpose === wanted.purpose &&
    present.action === wanted.action &&
    String(present.factors) === String(wanted.factors) &&
    present.phishingResistant === wanted.phishingResistant &&
    present.unknownBrowser === wanted.unknownBrowser &&
    now - present.createdAt < challengeLifetime
  )
}
