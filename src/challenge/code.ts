import { ApiError } from '../client/errors.ts'
import type { Factor } from '../contract/users.ts'
import { challengeLifetime } from './challenge.ts'
import type { Challenge } from './challenge.ts'
import { cancel, describe } from './push.ts'
import type { Sender } from './push.ts'
import type { ConnectedService } from './service.ts'
import { secondsToWait } from './throttle.ts'
import type { MfaUser } from './user.ts'
import { findMember } from './user.ts'

/** What came of a code. Which part of a wrong one was wrong nobody is told. */
export type CodeOutcome =
  /** Approved; the challenge as it is now can be redeemed. */
  | { readonly kind: 'approved'; readonly challenge: Challenge }
  | { readonly kind: 'wrong'; readonly triesLeft: number | undefined }
  /** Codes are paused, or were tried too often; until when, Unix seconds. */
  | { readonly kind: 'paused'; readonly until: number; readonly ofChallenge: boolean }

/** A code as people type or paste it, in groups and in the digits of their keyboard; undefined when it cannot be one. */
export function readCode(typed: unknown): string | undefined {
  if (typeof typed !== 'string' || typed.length > maxTypedLength) return undefined
  // Blanks and dashes between groups, and the invisible marks that come along with text from right to left.
  const code = typed.replaceAll(/[\s\p{Pd}\p{Cf}]/gu, '').replaceAll(/[٠-٩۰-۹０-９]/g, latinDigit)
  return /^\d{6,9}$/.test(code) ? code : undefined
}

/** Room for the blanks, characters. */
const maxTypedLength = 64

/** Each of these rows of digits begins at a multiple of 16, as ours does (Unicode charts 0600 and FF00). */
function latinDigit(digit: string): string {
  return String(digit.charCodeAt(0) % 16)
}

/** Has a code checked; a right one makes the request on the device needless. */
export async function tryCode(
  service: ConnectedService,
  challenge: Challenge,
  sender: Sender,
  given: { code: string; now: number },
): Promise<CodeOutcome> {
  try {
    const session = await service.client.sessions.create(service.domainId, {
      ...describe(challenge, sender),
      otp: given.code,
    })
    if (session.state !== 'approved') return { kind: 'wrong', triesLeft: session.triesLeft }
    await cancel(service, challenge)
    const givenFactor = session.factor ?? (given.code.length === 9 ? 'bypass' : 'otp')
    return { kind: 'approved', challenge: { ...challenge, sessionId: session.id, askedAt: given.now, givenFactor } }
  } catch (error) {
    if (isUsedUp(error)) return { kind: 'paused', until: challenge.createdAt + challengeLifetime, ofChallenge: true }
    const wait = secondsToWait(error)
    if (wait === undefined) throw error
    return { kind: 'paused', until: given.now + wait, ofChallenge: false }
  }
}

/** This challenge takes no more codes; the next one does. */
function isUsedUp(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'api.error.limit.codes'
}

/** What this user could pass with beside the device, among what the app allows. */
export async function otherFactors(
  service: ConnectedService,
  user: MfaUser,
  allowed: readonly Factor[],
): Promise<readonly Factor[]> {
  const known = await findMember(service, user)
  // A 1.3 service does not say what a user has: then codes can always be tried.
  const has = known?.factors ?? (service.version === '1.3' ? unsaid : [])
  return has.filter((factor) => factor !== 'push' && allowed.includes(factor))
}

const unsaid: readonly Factor[] = ['otp', 'bypass', 'email']
