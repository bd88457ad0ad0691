import { sentFactors } from '../../../contract/factor-descriptions.ts'
import type { SentFactor } from '../../../contract/factor-descriptions.ts'
import { requestedPolicy } from '../../../contract/phishing-resistance.ts'
import type { PhishingResistance, RequestedPhishingResistance } from '../../../contract/phishing-resistance.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, derived } from '../../engine/database/statement.ts'
import type { List, Slot } from '../../engine/database/statement.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import { sendingColumns, sends } from './reach.ts'

/** The domains and factors of a user. Read apart from the users, for a whole page of them at once. */
export interface Belongings {
  readonly domainIds: string[]
  readonly hasActiveToken: boolean
  /** Whether a device of the user makes codes. */
  readonly hasDeviceCodes: boolean
  readonly hardwareId: string | undefined
  /** The relying parties that the user has passkeys for, each once. */
  readonly passkeyRpIds: string[]
  /** The bypass codes that can still be used. */
  readonly bypassCodeIds: string[]
  /** Whether another system made one of them. */
  readonly hasImportedCodes: boolean
  /** The policies for passkeys of the domains that have one. */
  readonly policies: Readonly<Record<string, RequestedPhishingResistance>>
  /** The factors whose codes a domain of the user sends. */
  readonly sentByDomains: readonly SentFactor[]
  /** Whether a domain of the user takes bypass codes. */
  readonly domainTakesBypass: boolean
}

/**
 * Reads what users have, and returns it by user id; users that have nothing are there too.
 * @param visible The domains that are known of, if not all are: a device counts in its own domain.
 * @param counting The domains in which devices and codes have to count; by default any that is known of.
 */
export async function belongings(
  db: Queryable,
  userIds: string[],
  now: number,
  visible: readonly string[] | null = null,
  counting = visible,
): Promise<Map<string, Belongings>> {
  if (userIds.length === 0) return new Map()
  const [isVisible, counts] = [isOf(visible), isOf(counting)]
  const domains = Map.groupBy((await domainsOf(db, userIds)).filter(isVisible), byUser)
  const tokens = Map.groupBy((await activeTokensOf(db, userIds)).filter(counts), byUser)
  const hardware = new Map((await hardwareOf(db, userIds)).map(({ userId, id }) => [userId, id]))
  const passkeys = Map.groupBy(await passkeyRpIds(db, userIds), byUser)
  const bypass = Map.groupBy(await bypassCodesOfUsers(db, userIds, now), byUser)
  const belongingsOf = (id: string): Belongings => ({
    domainIds: (domains.get(id) ?? []).map(({ domainId }) => domainId),
    hasActiveToken: tokens.has(id),
    hasDeviceCodes: (tokens.get(id) ?? []).some(({ generatorId }) => generatorId !== null),
    hardwareId: hardware.get(id),
    passkeyRpIds: [...new Set((passkeys.get(id) ?? []).map(({ rpId }) => rpId))],
    bypassCodeIds: (bypass.get(id) ?? []).map((code) => code.id),
    hasImportedCodes: (bypass.get(id) ?? []).some((code) => code.imported === 1),
    policies: policiesOf(domains.get(id) ?? []),
    sentByDomains: sentFactors.filter((factor) =>
      (domains.get(id) ?? []).filter(counts).some((domain) => sends(factor, domain)),
    ),
    domainTakesBypass: (domains.get(id) ?? []).filter(counts).some(({ bypassEnabled }) => bypassEnabled === 1),
  })
  return new Map(userIds.map((id) => [id, belongingsOf(id)]))
}

const isOf =
  (domainIds: readonly string[] | null) =>
  ({ domainId }: { readonly domainId: string }) =>
    domainIds === null || domainIds.includes(domainId)

interface MemberOf {
  readonly domainId: string
  readonly phishingResistant: PhishingResistance
}

function policiesOf(domains: readonly MemberOf[]): Belongings['policies'] {
  const policies = domains.flatMap(({ domainId, phishingResistant }) => {
    const policy = requestedPolicy(phishingResistant)
    return policy === undefined ? [] : [[domainId, policy] as const]
  })
  return Object.fromEntries(policies)
}

const byUser = (row: { userId: string | null }) => row.userId

const domainsOf = allRows('domainsOfUsers', (db, userIds: List<string>) =>
  db
    .selectFrom('member')
    .innerJoin('domain', 'domain.id', 'member.domainId')
    .select(['member.userId', 'member.domainId', ...sendingColumns, 'domain.bypassEnabled', 'domain.phishingResistant'])
    .where('member.userId', 'in', userIds)
    .orderBy('member.sequence'),
)

const activeTokensOf = allRows('activeTokensOf', (db, userIds: List<string>) =>
  db
    .selectFrom('token')
    .leftJoin('device', (join) => join.onRef('device.tokenId', '=', 'token.id').on('device.revokedAt', 'is', null))
    .leftJoin('codeGenerator', 'codeGenerator.id', 'device.id')
    .select(['token.userId', 'token.domainId', 'codeGenerator.id as generatorId'])
    .where('token.userId', 'in', userIds)
    .where('token.state', '=', 'active'),
)

const hardwareOf = allRows('hardwareOf', (db, userIds: List<string>) =>
  db.selectFrom('hardwareToken').select(['id', 'userId']).where('userId', 'in', userIds),
)

const passkeyRpIds = allRows('passkeyRpIds', (db, userIds: List<string>) =>
  db.selectFrom('passkey').select(['userId', 'rpId']).where('userId', 'in', userIds).orderBy('sequence'),
)

/** Those that can still be used: others read as gone. The users have to be the caller's. */
export const bypassCodesOfUsers = allRows('bypassCodesOfUsers', (db, userIds: List<string>, now: Slot<number>) =>
  usable(db, now).where('bypassCode.userId', 'in', userIds).orderBy('bypassCode.sequence'),
)

export function usable(db: Queryable, now: Slot<number>) {
  return db
    .selectFrom('bypassCode')
    .selectAll('bypassCode')
    .where('bypassCode.expiresAt', '>', now)
    .where('bypassCode.createdAt', '<=', derived(now, latestBeginning))
    .where('bypassCode.usesRemaining', '>', 0)
}
