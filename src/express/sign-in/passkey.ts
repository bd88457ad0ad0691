import { hasPasskey, startPasskey, tryPasskey } from '../../challenge/passkey.ts'
import type { Challenge } from '../../challenge/challenge.ts'
import { findMember } from '../../challenge/user.ts'
import type { User } from '../../contract/users.ts'
import { AuthenticationResponse } from '../../contract/webauthn.ts'
import { ceremonyOptions, readResponse } from '../pages/ceremony.ts'
import type { Outcome } from '../request/outcome.ts'
import { andThen, continueAt } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { browserCookie } from '../session/id-cookie.ts'
import { finishAndContinue } from './finish.ts'
import type { ChallengePolicy } from './challenge-policy.ts'
import { acceptedFactors, challengePolicy } from './challenge-policy.ts'
import { withChallenge } from './open-challenge.ts'
import { offeredKey, passedBrowser, placeToKeep, withChoice } from './remembered.ts'
import { senderOf } from './start-once.ts'

/** Whether the user can pass the challenge with a passkey, in this app. */
export function canUsePasskey(policy: ChallengePolicy, member: User | undefined): boolean {
  return hasPasskey(member, policy.relyingParty?.id, acceptedFactors(policy))
}

/** `POST /mfa/passkey/options`: what the browser needs to use a passkey. */
export function passkeyOptions(request: WebRequest): Promise<Outcome> {
  return withChallenge(request, async (opened, challenge) => {
    const { req, context, user } = opened
    const service = await context.mfa.connect()
    const member = await findMember(service, user)
    const policy = challengePolicy(opened, challenge)
    const { relyingParty: rp } = policy
    const isUsable = rp && member && canUsePasskey(policy, member)
    const browser = browserCookie.read(req, context)
    return ceremonyOptions(
      opened,
      isUsable ? await startPasskey(service, member.id, { challenge, rp, browser }) : undefined,
    )
  })
}

/** `POST /mfa/passkey`: a right answer passes the second step, whatever the device answers. */
export function enterPasskey(request: WebRequest): Promise<Outcome> {
  return withChallenge(request, async (opened, openedChallenge) => {
    const { context, form } = opened
    const challenge = form['remembers'] === 'yes' ? withChoice(openedChallenge, form) : openedChallenge
    const response = readResponse(form, AuthenticationResponse)
    if (!response || !acceptedFactors(challengePolicy(opened, challenge)).includes('passkey'))
      return refused(opened, challenge)
    const browser = { ...passedBrowser(opened, challenge), ...offeredKey(opened), place: await placeToKeep(opened) }
    const now = context.mfa.options.clock.now()
    const service = await context.mfa.connect()
    const passed = await tryPasskey(service, challenge, senderOf(opened), { response, browser, now })
    if (!passed.challenge) return refused(opened, challenge)
    return andThen(opened, { state: { save: { ...opened.state, challenge: passed.challenge } } }, (saved, signal) =>
      finishAndContinue(saved, passed.challenge, { signal, redeemed: passed.redeemed }),
    )
  })
}

function refused(request: WebRequest, challenge: Challenge): Outcome {
  return {
    state: { save: { ...request.state, challenge: { ...challenge, notice: { kind: 'wrong_passkey' } } } },
    events: [{ type: 'passkey.wrong' }],
    answer: continueAt(request, `${request.context.base}?use=passkey`),
  }
}
