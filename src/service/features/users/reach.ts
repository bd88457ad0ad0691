import type { Selectable } from 'kysely'

import { switchOf } from '../../../contract/domains.ts'
import { placeOf, sentFactors, sentTo } from '../../../contract/factor-descriptions.ts'
import type { SentFactor, SentPlace } from '../../../contract/factor-descriptions.ts'
import { notAfter } from '../../engine/base/present.ts'
import type { Database } from '../../engine/database/schema/schema.ts'

/** The column that has the time of the last change of the place that the codes of a factor are sent to. */
export const changeOf = (factor: SentFactor) => `${sentTo(factor)}ChangedAt` as const

type Reachable = Pick<Selectable<Database['user']>, ReturnType<typeof changeOf> | SentPlace>

export type Sending = Pick<Selectable<Database['domain']>, ReturnType<typeof switchOf>>

/** Seconds until codes are sent to a place that changed: an attacker may have changed it. */
export function restOfPlace(factor: SentFactor, user: Reachable, now: number): number {
  const changedAt = user[changeOf(factor)]
  return changedAt === null ? 0 : Math.max(0, notAfter(changedAt, now) + 24 * 60 * 60 - now)
}

export const hasPlace = (factor: SentFactor, user: Pick<Reachable, SentPlace>): boolean => placeOf(user, factor) !== ''

/** Whether a domain sends codes of a factor. */
export const sends = (factor: SentFactor, domain: Sending): boolean => domain[switchOf(factor)] === 1

/** Whether a code that is sent would reach the user now. */
export const reaches = (factor: SentFactor, { domain, user }: { domain: Sending; user: Reachable }, now: number) =>
  sends(factor, domain) && hasPlace(factor, user) && restOfPlace(factor, user, now) === 0

/** The columns of a domain that say which codes it sends. */
export const sendingColumns = sentFactors.map((factor) => `domain.${switchOf(factor)}` as const)
