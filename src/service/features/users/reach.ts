import type { Selectable } from 'kysely'

import type { DomainSwitch } from '../../../contract/domains.ts'
import { placeOf, sentFactors } from '../../../contract/factor-descriptions.ts'
import type { SentFactor, sentTo } from '../../../contract/factor-descriptions.ts'
import { notAfter } from '../../engine/base/present.ts'
import type { Database } from '../../engine/database/schema/schema.ts'

/** What a code needs that is sent to a user: a place, which settled, and a domain that sends such codes. */
interface Reach {
  /** The column that has the time of the last change of the place. */
  readonly changedAt: keyof Database['user']
  /** The column of the domain that says whether such codes are sent. */
  readonly enabled: DomainSwitch
}

/** What the code of each factor needs to reach a user. */
export const reach = {
  email: { changedAt: 'emailChangedAt', enabled: 'emailOtpEnabled' },
} as const satisfies Readonly<Record<SentFactor, Reach>>

type Reachable = Pick<Selectable<Database['user']>, (typeof reach)[SentFactor]['changedAt'] | ReturnType<typeof sentTo>>

export type Sending = Pick<Selectable<Database['domain']>, (typeof reach)[SentFactor]['enabled']>

/** Seconds until codes are sent to a place that changed: an attacker may have changed it. */
export function restOfPlace(factor: SentFactor, user: Reachable, now: number): number {
  const changedAt = user[reach[factor].changedAt]
  return changedAt === null ? 0 : Math.max(0, notAfter(changedAt, now) + 24 * 60 * 60 - now)
}

export const hasPlace = (factor: SentFactor, user: Pick<Reachable, ReturnType<typeof sentTo>>): boolean =>
  placeOf(user, factor) !== ''

/** Whether a domain sends codes of a factor. */
export const sends = (factor: SentFactor, domain: Sending): boolean => domain[reach[factor].enabled] === 1

/** Whether a code that is sent would reach the user now. */
export const reaches = (factor: SentFactor, { domain, user }: { domain: Sending; user: Reachable }, now: number) =>
  sends(factor, domain) && hasPlace(factor, user) && restOfPlace(factor, user, now) === 0

/** The columns of a domain that say which codes it sends. */
export const sendingColumns = sentFactors.map((factor) => `domain.${reach[factor].enabled}` as const)
