import { clockSkew } from '../../../ground/clock.ts'
import { ceremonyLifetime } from '../../../contract/passkeys.ts'
import type { Caller } from '../../engine/context/caller.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { userHandleOf } from './rules.ts'
import { insertUsedChallenge } from './ceremony-statements.ts'
import { passkeyOfOrganization } from './statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { publicKeyOf, useVerified } from './check-passkey.ts'
import type { RightPasskey, VerifiedAssertion } from './check-passkey.ts'
import { expectedOf, namedCeremony } from './ceremonies.ts'
import { signInChallengeEnd } from './sign-in-challenge.ts'
import type { SignInOf } from './sign-in-challenge.ts'
import { loadWebAuthn } from './webauthn.ts'
import type { AuthenticationAnswer } from './webauthn.ts'

/** A right answer that says who signs in. Whether it counts, only `useSignIn` says. */
export interface PresentedSignIn {
  readonly request: SignInOf
  readonly userId: string
  readonly challengeHash: string
  /** The time until which its challenge is good, Unix seconds. */
  readonly end: number
  readonly verified: VerifiedAssertion
}

/**
 * Verifies an answer before the transaction that uses it. The authenticator must have verified the person: no password came before.
 *
 * @param request The relying party, whose origins the caller names again: nothing was stored for the challenge.
 * @returns undefined for any wrong answer.
 * @throws {ApiProblem} `api.error.invalid.response` for a malformed one.
 */
export async function presentSignIn(
  caller: Caller,
  answer: AuthenticationAnswer,
  { origins, ...request }: SignInOf & { readonly origins: readonly string[] },
): Promise<PresentedSignIn | undefined> {
  const answered = namedCeremony(answer.response.clientDataJSON)
  if (!answered)
    throw new ApiProblem('api.error.invalid.response', 'response: clientDataJSON: expected client data as JSON')
  const webauthn = await loadWebAuthn(caller)
  const { clientData, challengeHash } = answered
  const end = signInChallengeEnd(caller, clientData.challenge, request, caller.clock.now())
  if (end === undefined || clientData.crossOrigin) return undefined
  const { organizationId } = caller
  const passkey = await passkeyOfOrganization(caller.store.db, {
    organizationId,
    rpId: request.rpId,
    credentialId: answer.id,
  })
  // WebAuthn section 7.2, step 6: without a user that was named before, the authenticator has to say whose passkey it is.
  if (!passkey || answer.response.userHandle !== userHandleOf(passkey.userId)) return undefined
  const publicKey = publicKeyOf(caller, passkey)
  const expected = expectedOf(caller, answered, {
    rpId: request.rpId,
    domainId: request.domainId,
    origins: JSON.stringify(origins),
  })
  const assertion =
    publicKey && (await webauthn.verifyAuthentication(answer, { ...expected, publicKey, verifiesPerson: true }))
  const { userId } = passkey
  return assertion && { request, userId, challengeHash, end, verified: { ...assertion, passkeyId: passkey.id } }
}

/**
 * Uses the challenge and the passkey. In a transaction that has locked the user. The hash of a used challenge stays until no node of
 * the service takes the challenge anymore.
 *
 * @returns undefined if another answer was first, or the passkey is gone by now.
 */
export async function useSignIn(
  caller: Caller,
  db: Queryable,
  { request, userId, challengeHash, end, verified }: PresentedSignIn,
): Promise<RightPasskey | undefined> {
  const { domainId, rpId, challenge } = request
  // A later end would be removed as one from a clock that was ahead.
  const expiresAt = Math.min(end, caller.clock.now() + ceremonyLifetime) + clockSkew
  const used = { challengeHash, domainId, userId, rpId, challenge, expiresAt }
  if (!(await insertUsedChallenge(db, used))) return undefined
  return useVerified(caller, db, { domainId, userId }, verified)
}
