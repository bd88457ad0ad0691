import type { Insertable } from 'kysely'

import { endDevices } from './statements.ts'
import { isPending } from '../../engine/database/pending.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, change, changesRow, pick, withDefaults } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'
import type { Revoked } from '../../engine/base/revoked.ts'

export const insertToken = change('insertToken', (db, row: Slots<Insertable<Database['token']>>) =>
  db.insertInto('token').values({
    ...pick(row, ['id', 'domainId', 'userId', 'state', 'createdAt']),
    ...withDefaults(row, { code: null, codeLookup: null, codeExpiresAt: null, mailedAt: null, activatedAt: null }),
    ...withDefaults(row, { firstOnly: 0, selfEnrollment: 0, grantedFactor: null, grantedFactorId: null }),
  }),
)

interface Revoking {
  readonly userIds: readonly string[]
  readonly domainId?: string | undefined
  readonly epoch?: string | undefined
}

/** Takes users' tokens away, in one domain or in all, with the devices that hold them and the sessions they could answer. */
export async function revokeTokens(
  db: Queryable,
  { userIds, domainId, epoch }: Revoking,
  now: number,
): Promise<Revoked> {
  const revoke = domainId === undefined ? inAllDomains : inOneDomain
  const scope = { userIds, domainId: domainId ?? '' }
  const tokens = await revoke.tokens(db, scope)
  const devices = await revoke.devices(db, scope, now)
  await endDevices(db, devices, epoch)
  const sessions = await revoke.sessions(db, scope, now)
  return { tokens, devices, sessions }
}

type OfUsers = Slots<{ userIds: readonly string[]; domainId: string }>

const inOneDomain = revocations('in one domain')

const inAllDomains = revocations('in all domains')

function revocations(where: 'in one domain' | 'in all domains') {
  const isOneDomain = where === 'in one domain'
  return {
    tokens: allRows(`revoke tokens ${where}`, (db, { userIds, domainId }: OfUsers) =>
      db
        .deleteFrom('token')
        .where('userId', 'in', userIds)
        .$if(isOneDomain, (query) => query.where('domainId', '=', domainId))
        .returning(['id', 'domainId', 'userId']),
    ),
    devices: allRows(`revoke devices ${where}`, (db, { userIds, domainId }: OfUsers, now: Slot<number>) =>
      db
        .updateTable('device')
        .set({ revokedAt: now, pin: null, push: null })
        .where('userId', 'in', userIds)
        .where('revokedAt', 'is', null)
        .$if(isOneDomain, (query) => query.where('domainId', '=', domainId))
        .returning(['id', 'domainId', 'userId']),
    ),
    sessions: allRows(`cancel sessions ${where}`, (db, { userIds, domainId }: OfUsers, now: Slot<number>) =>
      db
        .updateTable('session')
        .set({ state: 'cancelled', reason: 'cancelled', settledAt: now })
        .where('userId', 'in', userIds)
        .where(isPending(now))
        .$if(isOneDomain, (query) => query.where('domainId', '=', domainId))
        .returning(['id', 'domainId', 'userId']),
    ),
  }
}

/** Removes a token whose code a page shows. @returns false where it is not pending, or an administrator issued it. */
export const removeShownToken = changesRow('removeShownToken', (db, id: Slot<string>) =>
  db.deleteFrom('token').where('id', '=', id).where('state', '=', 'pending').where('selfEnrollment', '=', 1),
)

/** Ends the links that were mailed to users, whose mailbox is another one now. */
export const expireMailedLinks = change('expireMailedLinks', (db, userIds: List<string>, now: Slot<number>) =>
  db
    .updateTable('token')
    .set({ codeExpiresAt: now })
    .where('userId', 'in', userIds)
    .where('state', '=', 'pending')
    .where('mailedAt', 'is not', null)
    .where('codeExpiresAt', '>', now),
)
