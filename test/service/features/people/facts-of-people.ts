import { sentFactors } from '../../../../src/contract/factor-descriptions.ts'
import type { Queryable } from '../../../../src/service/engine/database/schema/schema.ts'
import { hasPlace } from '../../../../src/service/features/users/reach.ts'
import type { UserRow } from '../../../../src/service/features/users/statements.ts'

export interface Facts {
  /** By person: level, end of the recovery codes, last activity. */
  readonly people: readonly (readonly [userId: string, level: number, codesUntil: number, activeAt: number])[]
  readonly members: readonly (readonly [userId: string, domainId: string, level: number])[]
}

/** The facts about people and members as the database keeps them. */
export async function factsOf(db: Queryable, userIds: readonly string[]): Promise<Facts> {
  const people = await db
    .selectFrom('personOrder')
    .innerJoin('user', 'user.sequence', 'personOrder.position')
    .select(['user.id', 'personOrder.factorLevel', 'personOrder.codesUntil', 'personOrder.activeAt'])
    .where('user.id', 'in', [...userIds])
    .execute()
  const members = await db
    .selectFrom('membership')
    .selectAll()
    .where('userId', 'in', [...userIds])
    .execute()
  return sorted({
    people: people.map((row) => [row.id, row.factorLevel, row.codesUntil, row.activeAt] as const),
    members: members.map(({ userId, domainId, factorLevel }) => [userId, domainId, factorLevel] as const),
  })
}

/** The same, from the rows of factors, codes, memberships and sign-ins alone. */
export async function truthOf(db: Queryable, userIds: readonly string[]): Promise<Facts> {
  const ids = [...userIds]
  const users = await db.selectFrom('user').selectAll().where('id', 'in', ids).execute()
  const members = await db.selectFrom('membership').selectAll().where('userId', 'in', ids).execute()
  const tokens = await db
    .selectFrom('token')
    .selectAll()
    .where('userId', 'in', ids)
    .where('state', '=', 'active')
    .execute()
  const passkeys = await db.selectFrom('passkey').select('userId').where('userId', 'in', ids).execute()
  const hardware = await db.selectFrom('hardwareToken').select('userId').where('userId', 'in', ids).execute()
  const codes = await db.selectFrom('bypassCode').selectAll().where('userId', 'in', ids).execute()
  const signIns = await db.selectFrom('lastSignIn').selectAll().execute()
  const everywhere = new Set([...passkeys, ...hardware].map(({ userId }) => userId))

  const levelIn = (userId: string, domainId: string): number => {
    if (everywhere.has(userId) || tokens.some((token) => token.userId === userId && token.domainId === domainId))
      return 3
    return users.some((user) => user.id === userId && hasSomePlace(user)) ? 2 : 0
  }
  const levelOf = (user: (typeof users)[number]): number => {
    const { id } = user
    if (everywhere.has(id) || tokens.some(({ userId }) => userId === id)) return 3
    if (!hasSomePlace(user)) return 0
    return members.some(({ userId }) => userId === id) ? 2 : 1
  }
  return sorted({
    people: users.map((user) => {
      const ends = codes.filter(({ userId, usesRemaining }) => userId === user.id && usesRemaining > 0)
      const signedIn = signIns.find(({ userSequence }) => userSequence === user.sequence)
      const activeAt = Math.max(user.createdAt, signedIn?.at ?? 0)
      return [user.id, levelOf(user), Math.max(0, ...ends.map(({ expiresAt }) => expiresAt)), activeAt] as const
    }),
    members: members.map(({ userId, domainId }) => [userId, domainId, levelIn(userId, domainId)] as const),
  })
}

/** Whether a code of some factor has a place to be sent to. */
const hasSomePlace = (user: UserRow): boolean => sentFactors.some((factor) => hasPlace(factor, user))

const sorted = ({ people, members }: Facts): Facts => ({
  people: people.toSorted(byText),
  members: members.toSorted(byText),
})

const byText = (one: readonly unknown[], other: readonly unknown[]): number => (one.join() < other.join() ? -1 : 1)
