import { newSignedChallenge, signedChallengeEnd } from './signed-challenge.ts'
import type { ChallengePurpose } from './signed-challenge.ts'

/** The values that the challenge of a sign-in without a username is made for. */
export interface SignInOf {
  readonly domainId: string
  readonly rpId: string
  /** The caller's, which has to come back with the answer. */
  readonly challenge: string
}

/** The challenge of a sign-in for which no user is known yet. */
export const newSignInChallenge = (
  ctx: Parameters<typeof newSignedChallenge>[0],
  request: SignInOf,
  now: number,
): string => newSignedChallenge(ctx, purposeOf(request), now)

/** @returns until when it is good, Unix seconds; undefined for one that this service did not make for this, or that has ended. */
export const signInChallengeEnd = (
  ctx: Parameters<typeof signedChallengeEnd>[0],
  webauthnChallenge: string,
  request: SignInOf,
  now: number,
): number | undefined => signedChallengeEnd(ctx, webauthnChallenge, purposeOf(request), now)

const purposeOf = ({ domainId, rpId, challenge }: SignInOf): ChallengePurpose => [
  'passkey sign-in',
  domainId,
  rpId,
  challenge,
]
