import { hash } from 'node:crypto'

import type { KeyType } from '../../../contract/pin.ts'
import type { AdminRole } from '../../../contract/roles.ts'
import { needsDomains, freshFor, sessionIdle, sessionLifetime } from '../../../contract/roles.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import type { Because } from '../../../admin-contract/because.ts'
import type { ConsentParameters } from '../../../admin-contract/consents.ts'

/** How much a device asks for, the least first. */
const strengths: readonly KeyType[] = ['NONE', 'PIN', 'PASSCODE']

/** Whether a verification by a device is enough where another strength is needed. An attacker may hold an unlocked phone. */
export const isAsStrong = (verified: KeyType, needed: KeyType): boolean =>
  strengths.indexOf(verified) >= strengths.indexOf(needed)

export const strongerOf = (first: KeyType, second: KeyType): KeyType => (isAsStrong(first, second) ? first : second)

interface Account {
  readonly userId: string | null
  readonly email: string
}

/** Whether two administrators are accounts of one person. */
export const isSamePerson = (first: Account, second: Account): boolean =>
  first.email.toLowerCase() === second.email.toLowerCase() || (first.userId !== null && first.userId === second.userId)

/**
 * The domains that an administrator may see; null for the whole organization. An admin or a help-desk agent without any domain
 * sees none, so that a lost row takes access away instead of giving it.
 */
export function visibleDomains(role: AdminRole, domainIds: readonly string[]): readonly string[] | null {
  if (role === 'owner') return null
  return needsDomains(role) || domainIds.length > 0 ? domainIds : null
}

/** The times of a session of an administrator, Unix seconds. */
interface Times {
  readonly signedInAt: number
  readonly usedAt: number
  readonly passedAt: number
}

/** Whether a session has ended. One that was used in the future was stored by a clock that was ahead. */
export const hasEnded = ({ signedInAt, usedAt }: Omit<Times, 'passedAt'>, now: number): boolean =>
  now >= signedInAt + sessionLifetime || now >= usedAt + sessionIdle || usedAt > latestBeginning(now)

/** Whether a passkey was used lately enough for changes. */
export const isFresh = ({ passedAt }: Pick<Times, 'passedAt'>, now: number): boolean =>
  now < passedAt + freshFor && passedAt <= latestBeginning(now)

/** How many requests for consent an administrator makes in an hour: all of them are shown to colleagues for 15 minutes. */
export const consentRequests = { limit: 20, window: 60 * 60 } as const

/** The facts that a colleague is shown, and that the consent is for. */
export interface ConsentSubject {
  /** The name of the operation. */
  readonly operation: string
  readonly userId: string
  readonly because: Because
  readonly parameters: ConsentParameters
  /** The domains in which the action counts. */
  readonly domainIds: readonly string[]
}

/**
 * SHA-256, hexadecimal. Actions have the same digest only if they are equal in everything that the colleague was shown, so that a
 * consent to one of them is not used for another one.
 */
export function consentDigest({ operation, userId, because, parameters, domainIds }: ConsentSubject): string {
  const sorted = Object.entries(parameters).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return hash('sha256', JSON.stringify([operation, userId, because, sorted, domainIds.toSorted()]), 'hex')
}
