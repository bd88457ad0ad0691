import { Factor } from '../../../contract/factor.ts'
import { isSent, placesOf } from '../../../contract/factor-descriptions.ts'
import type { SentFactor } from '../../../contract/factor-descriptions.ts'
import { mapLaterFields } from '../../../contract/users.ts'
import type { User } from '../../../contract/users.ts'
import type { Belongings } from './belongings.ts'
import { hasPlace } from './reach.ts'
import type { UserRow } from './statements.ts'
import { epochOf } from './rules.ts'

export function userView(user: UserRow, has: Belongings | undefined): User {
  return {
    id: user.id,
    username: user.username,
    name: user.name,
    ...placesOf(user),
    domains: has?.domainIds ?? [],
    hardware: has?.hardwareId ?? '',
    bypasscodes: has?.bypassCodeIds ?? [],
    factors: has ? factorsOf(user, has) : [],
    passkeys: has?.passkeyRpIds ?? [],
    phishingResistant: has && Object.keys(has.policies).length > 0 ? has.policies : undefined,
    everEnrolled: user.everEnrolled === 1,
    hadBypassCodes: user.hadCodes === 1,
    importState: user.importState,
    importedCodes: has?.hasImportedCodes || undefined,
    epoch: epochOf(user),
    ...mapLaterFields((field) => user[field] ?? undefined),
  }
}

/** Factors that the user can use now, in at least one of the domains that were asked about. */
function factorsOf(user: UserRow, has: Belongings): Factor[] {
  const presence: Record<Exclude<Factor, SentFactor>, boolean> = {
    passkey: has.passkeyRpIds.length > 0,
    push: has.hasActiveToken,
    otp: has.hasDeviceCodes || has.hardwareId !== undefined,
    bypass: has.domainTakesBypass && has.bypassCodeIds.length > 0,
  }
  return Factor.options.filter((factor) =>
    isSent(factor) ? has.sentByDomains.includes(factor) && hasPlace(factor, user) : presence[factor],
  )
}

interface Named {
  readonly username: string
  readonly name: string
}

/** The owner of an account as devices show it. A user without a name has the username for one. */
export const shownUser = ({ username, name }: Named) => ({ username, ...(name !== username && { name }) })
