import type { Challenge, Verified } from '../../challenge/challenge.ts'
import { purposes } from '../../challenge/challenge.ts'
import { RequestedPhishingResistance } from '../../contract/phishing-resistance.ts'
import { Factor } from '../../contract/factor.ts'
import { maxChallenges } from './mfa-state.ts'
import type { MfaState } from './mfa-state.ts'

/**
 * What is stored in a web session. What a verified web session keeps is one string: session middleware parses, serializes and
 * hashes it for each request, and every member of an object costs time there.
 */
export type StoredState = Omit<MfaState, 'verified' | 'challenge' | 'otherChallenges'> & {
  readonly verified?: string
  /** One for each browser, oldest first. Versions before bindings stored a single one as `challenge`, which is ignored. */
  readonly challenges?: readonly Challenge[]
}

/** Stands for a value that is undefined. encodeURI() escapes this character, so no value equals it. */
const separator = '|'

export function serializeState({ verified, challenge, otherChallenges = [], ...parts }: MfaState): StoredState {
  const challenges = keptChallenges(challenge ? [challenge] : [], otherChallenges)
  const rest = challenges.length === 0 ? parts : { ...parts, challenges }
  if (!verified) return rest
  const { service, lastReturnTo, ownId: _impliedByVerified, ...otherParts } = rest
  const { userKey, at, factor, factorId, sessionId, epoch, nextEpoch, purpose } = verified
  const ids = [userKey, String(at), factor, factorId, sessionId, epoch, nextEpoch]
  return {
    ...otherParts,
    verified: [...ids, service, lastReturnTo, strengthOf(verified), purpose].map(encode).join(' '),
  }
}

/**
 * That of this browser, and as many of the others as there is room for. Those that have sent a request to the device stay longest: each
 * browser can open a challenge, but requests are limited for the user. So an attacker who shares the web session cannot remove
 * the challenge of a user who is waiting, unless the device shows requests of the attacker as well.
 */
function keptChallenges(
  ownChallenges: readonly Challenge[],
  otherChallenges: readonly Challenge[],
): readonly Challenge[] {
  const bound = otherChallenges.filter(({ binding }) => binding !== undefined)
  const room = maxChallenges - ownChallenges.length
  const idle = bound.filter(({ sessionId }) => sessionId === undefined).slice(0, Math.max(0, bound.length - room))
  const rest = bound.filter((challenge) => !idle.includes(challenge))
  return [...rest.slice(-room), ...ownChallenges.filter(({ binding }) => binding !== undefined)]
}

/** One value for both, as versions that know only the policies read a value that they do not know as none of them. */
function strengthOf({ phishingResistant, browser }: Verified): string | undefined {
  return [phishingResistant, browser].filter((word) => word !== undefined).join('+') || undefined
}

/**
 * Reads what `serializeState` wrote. Anything else than a complete verification record verifies no user.
 *
 * @param binding That of the browser: it sees its own challenge, and no other one.
 */
export function parseState(stored: unknown, binding?: string): MfaState {
  if (isOnlyVerified(stored)) return parseVerified(stored.verified)
  const members: StoredState & { readonly challenge?: unknown } = withoutPrototype(
    typeof stored === 'object' ? stored : null,
  )
  const { verified, challenges, challenge: _unbound, ...rest } = members
  return Object.assign(withoutPrototype(rest), parseVerified(verified), parseChallenges(challenges, binding))
}

function parseChallenges(
  stored: unknown,
  binding: string | undefined,
): Pick<MfaState, 'challenge' | 'otherChallenges'> {
  if (!Array.isArray(stored)) return {}
  const challenges = (stored as readonly Challenge[]).map(withNewNotice)
  const isOwn = (challenge: Challenge) => binding !== undefined && challenge.binding === binding
  return { challenge: challenges.find(isOwn), otherChallenges: challenges.filter((challenge) => !isOwn(challenge)) }
}

/** An earlier version, which sent codes only by e-mail, stored this notice by another name. */
function withNewNotice(challenge: Challenge): Challenge {
  const kind: string | undefined = challenge.notice?.kind
  return kind === 'emailed' ? { ...challenge, notice: { kind: 'email_sent' } } : challenge
}

/** After a sign-in, the state is a verification record and nothing else. */
const isOnlyVerified = (stored: unknown): stored is { readonly verified: unknown } =>
  typeof stored === 'object' && stored !== null && Object.keys(stored).join() === 'verified'

/** If another part of the app has polluted Object.prototype, that must not verify a user. */
const withoutPrototype = <T extends object>(members: T | null): T => Object.assign(Object.create(null) as T, members)

/** Any other value stands for none, under which less counts. */
const policies = RequestedPhishingResistance.options

type ParsedRecord = Pick<MfaState, 'verified' | 'service' | 'lastReturnTo' | 'ownId'>

const notVerified = Object.freeze(withoutPrototype<ParsedRecord>({ verified: undefined }))

let lastParsed: { readonly text: string; readonly parsed: ParsedRecord } | undefined

/** Remembers the last one, because `mfa()` and `requireMfa()` read the same one in a row. */
function parseVerified(text: unknown): ParsedRecord {
  if (typeof text !== 'string') return notVerified
  if (lastParsed?.text !== text) lastParsed = { text, parsed: parseRecord(text) }
  return lastParsed.parsed
}

function parseRecord(text: string): ParsedRecord {
  const values = decodeAll(text)
  if (values.length !== 11) return notVerified
  const [userKey, at = '', factor, factorId, sessionId, epoch, nextEpoch, ...more] = values
  const [service, lastReturnTo, strength = '', purpose] = more
  // No purpose is the beginning of another one: a record that was cut off anywhere is invalid.
  if (!userKey || !/^\d{1,12}$/.test(at) || !isOneOf(Factor.options, factor) || !isOneOf(purposes, purpose)) {
    return notVerified
  }
  const words = strength.split('+')
  const phishingResistant = policies.find((policy) => words.includes(policy))
  const browser = words.includes('kept') ? ('kept' as const) : undefined
  const ids = { factorId, sessionId, epoch, nextEpoch }
  // Frozen, because several requests can share it.
  const verified: Verified = { userKey, at: Number(at), factor, ...ids, phishingResistant, browser, purpose }
  // A web session gets a new id when its user passes the second step.
  const record = { verified: Object.freeze(verified), service, lastReturnTo, ownId: { userKey } }
  return Object.freeze(withoutPrototype<ParsedRecord>(record))
}

const encode = (value: string | undefined): string => (value === undefined ? separator : encodeURI(value))

function decodeAll(text: string): readonly (string | undefined)[] {
  try {
    return text.split(' ').map(decode)
  } catch {
    // decodeURI() throws on what encodeURI() never writes.
    return []
  }
}

function decode(text: string): string | undefined {
  if (text === separator) return undefined
  return text.includes('%') ? decodeURI(text) : text
}

const isOneOf = <T extends string>(values: readonly T[], value: string | undefined): value is T =>
  (values as readonly (string | undefined)[]).includes(value)
