import { sql } from 'kysely'
import type { Insertable } from 'kysely'

import { insertCodeGenerator, neverUsed, removeCodeGenerators } from '../codes/statements.ts'
import type { NewGenerator } from '../codes/statements.ts'
import { endOtherSessions } from '../browsers/epochs.ts'
import { isFoundBy } from '../../engine/database/page-rows.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import {
  allRows,
  allValues,
  change,
  changesRow,
  firstRow,
  pick,
  withDefaults,
} from '../../engine/database/statement.ts'
import type { List, RowOf, Slot, Slots } from '../../engine/database/statement.ts'
import { rowsOfPage } from '../../engine/http/paging.ts'
import type { PageStart } from '../../engine/http/paging.ts'
import { UnsealError } from '../../engine/secrets/sealing.ts'
import type { Secrets } from '../../engine/secrets/secrets.ts'
import { hardwareTokens } from '../factors/possessions.ts'

/** A hardware token with what can be shown of its generator. */
export type HardwareTokenRow = RowOf<typeof hardwareTokenById>

type NewToken = Omit<Insertable<Database['hardwareToken']>, 'sequence'>

/** A hardware token that is to be added. Its seed is sealed. */
export type NewHardwareTokenRow = NewToken & Omit<NewGenerator, 'id'>

/** A token from a file, which may know how far ahead its clock is. */
export type ImportedTokenRow = NewHardwareTokenRow & Pick<Database['codeGenerator'], 'drift'>

/** Call it in a transaction. @returns false where the organization has the serial number already. */
export async function insertHardwareToken(
  db: Queryable,
  { seed, algorithm, digits, period, counter, ...token }: NewHardwareTokenRow,
): Promise<boolean> {
  await insertCodeGenerator(db, { id: token.id, seed, algorithm, digits, period, counter })
  if (await insertToken(db, token)) return true
  await removeCodeGenerators(db, [token.id])
  return false
}

const insertToken = changesRow('insertHardwareToken', (db, row: Slots<NewToken>) =>
  db
    .insertInto('hardwareToken')
    .values({
      ...pick(row, ['id', 'organizationId', 'alias', 'serialNumber', 'createdAt']),
      ...withDefaults(row, { userId: null, selfEnrolled: 0 }),
    })
    .onConflict((conflict) => conflict.columns(['organizationId', 'serialNumber']).doNothing()),
)

export const hardwareTokenById = firstRow('hardwareTokenById', (db, organizationId: Slot<string>, id: Slot<string>) =>
  hardwareTokens(db).where('hardwareToken.id', '=', id).where('hardwareToken.organizationId', '=', organizationId),
)

/** Those of an alias or a serial number, in any case, or of an id that begins so; for people who look for one. */
export function hardwareTokensNamed(db: Queryable, organizationId: string, name: string): Promise<HardwareTokenRow[]> {
  const lowerName = name.toLowerCase()
  const beginning = /^[0-9a-f]{6,40}$/.test(lowerName) ? lowerName : undefined
  // `lower` of SQLite knows only ASCII: it leaves the other letters of both sides as they are.
  const spellings = [name, lowerName, name.toUpperCase()].map((text) => sql<string>`lower(cast(${text} as text))`)
  return hardwareTokens(db)
    .where('hardwareToken.organizationId', '=', organizationId)
    .where((is) =>
      is.or([
        is(is.fn<string>('lower', ['hardwareToken.alias']), 'in', spellings),
        is(is.fn<string>('lower', ['hardwareToken.serialNumber']), 'in', spellings),
        ...(beginning === undefined ? [] : [is('hardwareToken.id', 'like', `${beginning}%`)]),
      ]),
    )
    .orderBy('hardwareToken.sequence')
    .execute()
}

/** Reads a page of the hardware tokens, oldest first. An index alone finds the page. */
export const listHardwareTokens = allRows(
  'listHardwareTokens',
  (db, organizationId: Slot<string>, start: Slots<PageStart>) => {
    const page = db
      .selectFrom('hardwareToken')
      .select('sequence')
      .where('organizationId', '=', organizationId)
      .where('sequence', '>', start.after)
      .orderBy('sequence')
      .offset(start.offset)
      .limit(rowsOfPage)
    return hardwareTokens(db)
      .select('hardwareToken.sequence')
      .where((is) => isFoundBy(db, is.ref('hardwareToken.sequence'), page))
      .orderBy('hardwareToken.sequence')
  },
)

export const renameHardwareToken = change('renameHardwareToken', (db, id: Slot<string>, alias: Slot<string>) =>
  db.updateTable('hardwareToken').set({ alias }).where('id', '=', id),
)

/** Call it in a transaction that has locked the user, and has seen that it has none. @returns false where another user has the token. */
export async function giveHardwareToken(
  db: Queryable,
  secrets: Secrets,
  { id, userId }: { readonly id: string; readonly userId: string },
): Promise<boolean> {
  if (!(await setOwner(db, id, userId))) return false
  await resealSeeds(db, secrets, [{ id, userId: null }], userId)
  return true
}

const setOwner = changesRow('setOwner', (db, id: Slot<string>, userId: Slot<string>) =>
  db.updateTable('hardwareToken').set({ userId }).where('id', '=', id).where('userId', 'is', null),
)

/**
 * Takes hardware tokens from users: the tokens stay in the organization. Authenticator apps that users set up are deleted,
 * because the user who set one up could make the codes of its next user. In a transaction.
 *
 * @returns false where there was none.
 */
export async function releaseHardwareTokens(
  db: Queryable,
  secrets: Secrets,
  userIds: readonly string[],
  epoch?: string,
): Promise<boolean> {
  const ended = await removeOwnApps(db, userIds)
  const endedIds = ended.map(({ id }) => id)
  await removeCodeGenerators(db, endedIds)
  const released = await tokensOf(db, userIds)
  await resealSeeds(db, secrets, released, null)
  await clearOwners(db, userIds)
  await endOtherSessions(db, usersOf([...ended, ...released]), epoch)
  return ended.length > 0 || released.length > 0
}

const removeOwnApps = allRows('removeOwnApps', (db, userIds: List<string>) =>
  db
    .deleteFrom('hardwareToken')
    .where('userId', 'in', userIds)
    .where('selfEnrolled', '=', 1)
    .returning(['id', 'userId']),
)

const tokensOf = allRows('tokensOf', (db, userIds: List<string>) =>
  db.selectFrom('hardwareToken').select(['id', 'userId']).where('userId', 'in', userIds),
)

const clearOwners = change('clearOwners', (db, userIds: List<string>) =>
  db.updateTable('hardwareToken').set({ userId: null }).where('userId', 'in', userIds),
)

/** Call it in a transaction. @returns false where there is no such token. */
export async function removeHardwareToken(db: Queryable, organizationId: string, id: string): Promise<boolean> {
  const removed = await deleteToken(db, organizationId, id)
  if (!removed) return false
  await removeCodeGenerators(db, [id])
  await endOtherSessions(db, usersOf([removed]))
  return true
}

const deleteToken = firstRow('deleteToken', (db, organizationId: Slot<string>, id: Slot<string>) =>
  db.deleteFrom('hardwareToken').where('id', '=', id).where('organizationId', '=', organizationId).returning('userId'),
)

/** A seed as it is sealed for its user; null while the hardware token has none. */
type OwnedSeed = Pick<HardwareTokenRow, 'id' | 'userId'>

/**
 * Seals the seeds of hardware tokens for another owner. In the transaction that gives or takes the tokens.
 *
 * A seed that does not open for the owner that the row names was damaged or moved there. It stays unchanged and opens for no
 * user, so that the token can still be taken away.
 */
async function resealSeeds(
  db: Queryable,
  secrets: Secrets,
  ownedSeeds: readonly OwnedSeed[],
  userId: string | null,
): Promise<void> {
  const owners = new Map(ownedSeeds.map((ownedSeed) => [ownedSeed.id, ownedSeed.userId]))
  if (owners.size === 0) return
  const rows = await seedsOf(db, [...owners.keys()])
  for (const { id, seed } of rows) {
    const opened = openOrNothing(secrets, seed, { id, userId: owners.get(id) ?? null })
    if (opened === undefined) continue
    const sealed = secrets.seal(opened, { kind: 'seed', id, userId })
    await setSeed(db, id, sealed)
  }
}

const seedsOf = allRows('seedsOf', (db, ids: List<string>) =>
  db.selectFrom('codeGenerator').select(['id', 'seed']).where('id', 'in', ids),
)

const setSeed = change('setSeed', (db, id: Slot<string>, seed: Slot<string>) =>
  db.updateTable('codeGenerator').set({ seed }).where('id', '=', id),
)

function openOrNothing(secrets: Secrets, seed: string, ownedSeed: OwnedSeed): string | undefined {
  try {
    return secrets.open(seed, { kind: 'seed', ...ownedSeed })
  } catch (error) {
    if (error instanceof UnsealError) return undefined
    throw error
  }
}

const usersOf = (tokens: readonly { readonly userId: string | null }[]): string[] => [
  ...new Set(tokens.flatMap(({ userId }) => userId ?? [])),
]

/** Finds which of these serial numbers the organization already has. */
export const presentSerialNumbers = allValues(
  'presentSerialNumbers',
  (db, organizationId: Slot<string>, numbers: List<string>) =>
    db
      .selectFrom('hardwareToken')
      .select('serialNumber')
      .where('organizationId', '=', organizationId)
      .where('serialNumber', 'in', numbers),
)

/**
 * In a transaction, several hundred at most: one statement is several times faster than many, and the engines limit its
 * parameters. @returns false where a serial number is taken: then roll back.
 */
export async function insertHardwareTokens(db: Queryable, rows: readonly ImportedTokenRow[]): Promise<boolean> {
  const generators = rows.map(({ id, seed, algorithm, digits, period, drift, counter = null }) => ({
    id,
    seed,
    algorithm,
    digits,
    period,
    counter,
    ...neverUsed,
    drift,
  }))
  const tokens = rows.map(
    ({ id, organizationId, alias, serialNumber, createdAt, userId = null, selfEnrolled = 0 }) => ({
      id,
      organizationId,
      alias,
      serialNumber,
      createdAt,
      userId,
      selfEnrolled,
    }),
  )
  await db.insertInto('codeGenerator').values(generators).execute()
  const inserted = await db
    .insertInto('hardwareToken')
    .values(tokens)
    .onConflict((conflict) => conflict.columns(['organizationId', 'serialNumber']).doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === BigInt(rows.length)
}

/** Call it in a transaction. @returns false for a token that belongs to a person, or is none. */
export async function removeFreeToken(db: Queryable, organizationId: string, id: string): Promise<boolean> {
  if (!(await deleteFreeToken(db, organizationId, id))) return false
  await removeCodeGenerators(db, [id])
  return true
}

/** One statement, so that no token is deleted that is being assigned. */
const deleteFreeToken = changesRow('deleteFreeToken', (db, organizationId: Slot<string>, id: Slot<string>) =>
  db
    .deleteFrom('hardwareToken')
    .where('id', '=', id)
    .where('organizationId', '=', organizationId)
    .where('userId', 'is', null),
)
