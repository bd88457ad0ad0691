import type { Factor } from '../../../contract/factor.ts'
import { isSent, sentFactors } from '../../../contract/factor-descriptions.ts'
import type { SentFactor } from '../../../contract/factor-descriptions.ts'
import { reaches } from '../users/reach.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import { bypassCodesOfUsers } from '../users/belongings.ts'
import { generatorOfDevice, generatorOfHardware, activeDevice, passkeyOfUser } from './possessions.ts'
import type { DomainRow } from '../domains/statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { derived, firstRow } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'
import type { UserRow } from '../users/statements.ts'

/** A factor as a pass names it. */
export interface PassedFactor {
  readonly factor: Factor
  /** Null for a sent code. */
  readonly factorId: string | null
}

/** The approval of a user that its challenge has used up. */
export const redeemedSession = firstRow('redeemedSession', (db, { id, userId }: Slots<Owned>) =>
  db
    .selectFrom('session')
    .selectAll()
    .where((is) => is.and({ id, userId, state: 'approved', passed: 1 })),
)

/** The factors that the user can pass with in the domain; passkeys are valid in apps, whatever their domain is. */
export async function factorsInDomain(
  db: Queryable,
  { domain, user }: { readonly domain: DomainRow; readonly user: UserRow },
  now: number,
): Promise<Factor[]> {
  const device = await activeDevice(db, domain.id, user.id)
  const generator = (await generatorOfDevice(db, domain.id, user.id)) ?? (await generatorOfHardware(db, user.id))
  const codes = domain.bypassEnabled === 1 ? await bypassCodesOfUsers(db, [user.id], now) : []
  return [
    ...(device ? (['push'] as const) : []),
    ...(generator ? (['otp'] as const) : []),
    ...(codes.length > 0 ? (['bypass'] as const) : []),
    ...sentFactors.filter((factor) => reaches(factor, { domain, user }, now)),
  ]
}

/**
 * Whether the very device, token, passkey or code is still the user's and valid in the domain. A code that the pass itself has
 * used up is; one that was withdrawn or has expired is not.
 */
export async function isInForce(
  db: Queryable,
  { domain, user, factor, factorId }: PassedFactor & { readonly domain: DomainRow; readonly user: UserRow },
  now: number,
): Promise<boolean> {
  if (isSent(factor)) return reaches(factor, { domain, user }, now)
  return inForce[factor](db, { domain, user, id: factorId ?? '' }, now)
}

interface Used {
  readonly domain: DomainRow
  readonly user: UserRow
  /** The id of the device, token, passkey or bypass code. */
  readonly id: string
}

const inForce: Readonly<
  Record<Exclude<Factor, SentFactor>, (db: Queryable, used: Used, now: number) => Promise<boolean>>
> = {
  passkey: async (db, { user, id }) => (await passkeyOfUser(db, { id, userId: user.id })) !== undefined,
  push: isDevice,
  otp: async (db, used) =>
    (await isDevice(db, used)) || (await ownHardware(db, { id: used.id, userId: used.user.id })) !== undefined,
  bypass: async (db, { domain, user, id }, now) =>
    domain.bypassEnabled === 1 && (await keptCode(db, { id, userId: user.id }, now)) !== undefined,
}

async function isDevice(db: Queryable, { domain, user, id }: Used): Promise<boolean> {
  return (await activeDevice(db, domain.id, user.id))?.id === id
}

interface Owned {
  readonly id: string
  readonly userId: string
}

const keptCode = firstRow('keptCode', (db, { id, userId }: Slots<Owned>, now: Slot<number>) =>
  db
    .selectFrom('bypassCode')
    .select('id')
    .where((is) => is.and({ id, userId }))
    .where('expiresAt', '>', now)
    .where('createdAt', '<=', derived(now, latestBeginning)),
)

const ownHardware = firstRow('ownHardware', (db, { id, userId }: Slots<Owned>) =>
  db.selectFrom('hardwareToken').select('id').where('id', '=', id).where('userId', '=', userId),
)
