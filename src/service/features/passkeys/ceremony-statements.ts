import { createHash } from 'node:crypto'

import type { ExpressionBuilder, Selectable } from 'kysely'

import { ceremonyLifetime } from '../../../contract/passkeys.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { change, changesRow, derived, firstRow, pick } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'

export type CeremonyRow = Selectable<Database['passkeyCeremony']>

/** A ceremony as an answer names it: by its challenge, which has 256 random bits, so that a plain hash is enough. */
export interface CeremonyOf extends Pick<CeremonyRow, 'domainId' | 'userId' | 'kind'> {
  /** The challenge that the authenticator has signed. */
  readonly challengeHash: string
}

/** @param webauthnChallenge As browsers return it, base64url. */
export const hashOfChallenge = (webauthnChallenge: string): string =>
  createHash('sha256').update(webauthnChallenge).digest('hex')

export const insertCeremony = change('insertCeremony', (db, row: Slots<CeremonyRow>) =>
  db
    .insertInto('passkeyCeremony')
    .values(
      pick(row, [
        'challengeHash',
        'domainId',
        'userId',
        'kind',
        'rpId',
        'origins',
        'purpose',
        'challenge',
        'expiresAt',
      ]),
    ),
)

/** A ceremony that still takes an answer. Whether it does once the answer is verified, only `useCeremony` says. */
export const openCeremony = firstRow('openCeremony', (db, slots: Slots<CeremonyOf>, now: Slot<number>) =>
  db.selectFrom('passkeyCeremony').selectAll().where(isOpen(slots, now)),
)

/** Uses a ceremony up: of several answers at once, only one gets it. */
export const useCeremony = firstRow('useCeremony', (db, slots: Slots<CeremonyOf>, now: Slot<number>) =>
  db.deleteFrom('passkeyCeremony').where(isOpen(slots, now)).returningAll(),
)

type UsedChallenge = Omit<CeremonyRow, 'kind' | 'origins' | 'purpose'>

/** Notes that a challenge was used that was not stored before. @returns false if it was noted already. */
export const insertUsedChallenge = changesRow('insertUsedChallenge', (db, row: Slots<UsedChallenge>) =>
  db
    .insertInto('passkeyCeremony')
    .values({
      ...pick(row, ['challengeHash', 'domainId', 'userId', 'rpId', 'challenge', 'expiresAt']),
      kind: 'used',
      origins: '[]',
      purpose: null,
    })
    .onConflict((conflict) => conflict.column('challengeHash').doNothing()),
)

/** Whether a ceremony is the one that an answer names, and has not ended. One with a later end was set by a clock that was ahead. */
const isOpen = (slots: Slots<CeremonyOf>, now: Slot<number>) => (is: ExpressionBuilder<Database, 'passkeyCeremony'>) =>
  is.and([
    is.and(pick(slots, ['challengeHash', 'domainId', 'userId', 'kind'])),
    is('expiresAt', '>', now),
    is('expiresAt', '<=', derived(now, latestExpiry)),
  ])

const latestExpiry = (now: number): number => latestBeginning(now + ceremonyLifetime)

/** @param domainId Of all domains where none is named. */
export const removeCeremonies = (
  db: Queryable,
  { userIds, domainId }: { userIds: readonly string[]; domainId?: string | undefined },
): Promise<void> =>
  domainId === undefined ? removeCeremoniesOf(db, userIds) : removeCeremoniesIn(db, domainId, userIds)

const removeCeremoniesOf = change('removeCeremoniesOf', (db, userIds: List<string>) =>
  db.deleteFrom('passkeyCeremony').where('userId', 'in', userIds),
)

const removeCeremoniesIn = change('removeCeremoniesIn', (db, domainId: Slot<string>, userIds: List<string>) =>
  db.deleteFrom('passkeyCeremony').where('userId', 'in', userIds).where('domainId', '=', domainId),
)
