import { ApiError } from '../client/errors.ts'
import type { ImportedFactors } from '../contract/imported-factors.ts'
import type { PassedBrowser, RedeemedSession, Session, SessionReason } from '../contract/sessions.ts'
import { isTyped } from '../contract/factor-descriptions.ts'
import { Factor } from '../contract/factor.ts'
import type { User } from '../contract/users.ts'
import { challengeLifetime, withSession } from './challenge.ts'
import type { Challenge, Notice } from './challenge.ts'
import { cancel, describe } from './push.ts'
import type { Sender } from './push.ts'
import { secondsToWait, unlessRejected } from './rejection.ts'
import type { ConnectedService } from './service.ts'

/** The challenge after a correct code, which can be redeemed; otherwise a notice. It does not say which part was wrong. */
export type CodeOutcome =
  | {
      readonly challenge: Challenge
      /** Set if the service has redeemed the approval in the same call. */
      readonly redeemed: RedeemedSession | undefined
      readonly notice?: never
    }
  | {
      readonly challenge?: never
      readonly notice: CodeNotice
      /** Whether the code was checked. */
      readonly wasWrong?: boolean
      /** The session in which it did not count, and why, where that is not that it was wrong. */
      readonly refused?: { readonly sessionId: string; readonly reason: SessionReason }
    }

/** The message of the page about a code that was not accepted. */
export type CodeNotice = Extract<Notice, { readonly kind: 'no_code' | 'wrong_code' | 'passkey_needed' }> | CodesPaused

type CodesPaused = Extract<Notice, { readonly kind: 'codes_paused' }>

/** Reads a code as typed or pasted, in groups and in the digits of the user's keyboard; undefined if it cannot be a code. */
export function readCode(input: unknown): string | undefined {
  if (typeof input !== 'string' || input.length > maxTypedLength) return undefined
  // Spaces and dashes between groups, and the invisible marks in right-to-left text.
  const code = input.replaceAll(/[\s\p{Pd}\p{Cf}]/gu, '').replaceAll(/[٠-٩۰-۹０-９]/g, latinDigit)
  return /^\d{6,9}$/.test(code) ? code : undefined
}

/** Reads a recovery code that another system made: it has any form, and the service knows which characters only separate groups. */
export function readImportedCode(input: unknown): string | undefined {
  if (typeof input !== 'string' || input.length > maxTypedLength) return undefined
  const code = input.replaceAll(/\p{C}/gu, '').trim()
  return code.length < 6 ? undefined : code
}

/** Leaves room for the spaces, characters. */
const maxTypedLength = 64

/** Each of these rows of digits starts at a multiple of 16, as the ASCII digits do (Unicode charts 0600 and FF00). */
function latinDigit(digit: string): string {
  return String(digit.charCodeAt(0) % 16)
}

interface Tried {
  readonly code: string
  /** Unix time, seconds. */
  readonly now: number
}

interface TypedCode extends Tried {
  /** The browser becomes a known one. A code that does not sign in has none. */
  readonly browser?: PassedBrowser
}

/**
 * Has the service check a code; a correct one cancels the request on the device.
 *
 * @returns `no user` if the service does not know the user, or not any more: such a user has no codes.
 */
export async function tryCode(
  service: ConnectedService,
  challenge: Challenge,
  sender: Sender,
  typed: TypedCode,
): Promise<CodeOutcome | 'no user'> {
  return (await unlessRejected(check(service, challenge, sender, typed), 'api.error.notfound.user')) ?? 'no user'
}

async function check(
  service: ConnectedService,
  challenge: Challenge,
  sender: Sender,
  { code, browser, now, factors }: TypedCode & { readonly factors?: ImportedFactors },
): Promise<CodeOutcome> {
  const { client, domainId } = service
  const tried = {
    ...describe(challenge, sender),
    otp: code,
    ...(service.redeemsCodes ? { redeem: browser ? { browser } : {} } : {}),
  }
  try {
    const session = factors
      ? await client.sessions.import(domainId, { ...tried, factors })
      : await client.sessions.create(domainId, tried)
    if (session.state !== 'approved') return notAccepted(session, challenge, { code, now })
    await cancel(service, challenge)
    const givenFactor = session.factor ?? (isRecovery(code) ? 'bypass' : 'otp')
    return {
      challenge: { ...withSession(challenge, session, now), givenFactor },
      // A service that does not know `redeem` ignores it: the epoch says that it was redeemed.
      redeemed: session.epoch === undefined ? undefined : session,
    }
  } catch (error) {
    if (isUsedUp(error)) return { notice: pausedFor(undefined, challenge, now) }
    const wait = secondsToWait(error)
    if (wait === undefined) throw error
    return { notice: pausedFor(wait, challenge, now) }
  }
}

/**
 * Has the service check the first code of factors of another system; a correct one imports them.
 *
 * @returns `too late` if they cannot be imported any more: the user has a factor by now, or an administrator has issued a code for one,
 * or has deleted the user.
 */
export async function importByCode(
  service: ConnectedService,
  challenge: Challenge,
  sender: Sender,
  typed: TypedCode & { readonly factors: ImportedFactors },
): Promise<CodeOutcome | 'too late'> {
  const errors = ['api.error.conflict.enrolled', 'api.error.conflict.state', 'api.error.notfound.user'] as const
  return (await unlessRejected(check(service, challenge, sender, typed), ...errors)) ?? 'too late'
}

/** Codes of apps and generators have six to eight digits. */
const isRecovery = (code: string) => !/^\d{6,8}$/.test(code)

/** Where only a passkey counts, the service does not check codes, or counts a right one as wrong: see `triesLeft`. */
function notAccepted(session: Session, challenge: Challenge, tried: Tried): CodeOutcome {
  const { id: sessionId, reason, triesLeft } = session
  if (reason !== 'phishing_resistance_required' && reason !== 'unknown_browser') {
    return { notice: afterWrongCode(session, challenge, tried), wasWrong: true }
  }
  const isCounted = triesLeft !== undefined
  const notice = isCounted ? afterWrongCode(session, challenge, tried) : ({ kind: 'passkey_needed' } as const)
  return { notice, wasWrong: isCounted, refused: { sessionId, reason } }
}

/** The last try pauses codes at once; the one before it says for how long. */
function afterWrongCode({ triesLeft, lockedFor }: Session, challenge: Challenge, { code, now }: Tried): CodeNotice {
  const pause = pausedFor(lockedFor, challenge, now)
  if (triesLeft === 0) return pause
  return {
    kind: 'wrong_code',
    triesLeft,
    ...(isRecovery(code) && { isRecovery: true }),
    ...(triesLeft === 1 && { pausedFor: pause.until - now }),
  }
}

/** @param lock How long the service locks the codes of the user, seconds; undefined if only this challenge takes no more. */
function pausedFor(lock: number | undefined, { createdAt }: Challenge, now: number): CodesPaused {
  const until = lock === undefined ? createdAt + challengeLifetime : now + lock
  return { kind: 'codes_paused', until, ofChallenge: lock === undefined }
}

/** Whether this challenge takes no more codes; the next one will. */
function isUsedUp(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'api.error.limit.codes'
}

/** The factors of the user with a code to type, among those the app accepts. @param member Undefined if the service does not know the user. */
export function codeFactors(
  { knowsFactors }: ConnectedService,
  member: User | undefined,
  allowed: readonly Factor[],
): readonly Factor[] {
  // Where the service does not say which factors a user has, codes can always be tried.
  const has = member?.factors ?? (knowsFactors ? [] : possible)
  return possible.filter((factor) => has.includes(factor) && allowed.includes(factor))
}

const possible: readonly Factor[] = Factor.options.filter(isTyped)
