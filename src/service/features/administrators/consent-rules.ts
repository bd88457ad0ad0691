import { hash } from 'node:crypto'

import type { Because } from '../../../contract/admin/because.ts'
import type { ConsentParameters } from '../../../contract/admin/consents.ts'

/** How many requests for consent an administrator makes in an hour: all of them are shown to colleagues for 15 minutes. */
export const consentRequests = { limit: 20, window: 60 * 60 } as const

/** What a colleague is shown, and what the consent is for. */
export interface ConsentSubject {
  /** The name of the operation. */
  readonly operation: string
  readonly userId: string
  readonly because: Because
  readonly parameters: ConsentParameters
  /** Where the action counts. */
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
