import { hash } from 'node:crypto'

import { sql } from 'kysely'
import type { Selectable } from 'kysely'

import { isKept } from './kept-browsers.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, change, derived, firstRow, oneRow, pick } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'

export type KnownBrowserRow = Selectable<Database['knownBrowser']>

/** The user of a browser, and the domain. */
export type BrowserOf = Pick<KnownBrowserRow, 'domainId' | 'userId'>

/** Ids have 128 random bits and cannot be guessed from their hashes, so a plain hash is enough. */
export const hashOfBrowser = (id: string): string => hash('sha256', id, 'hex')

/**
 * The browser of this id, if this user passed the second step in it and nothing has changed since that the user passes
 * with. The user's factors are compared here, so that no path that changes them has to think of browsers.
 */
export async function knownBrowser(
  db: Queryable,
  browser: BrowserOf & { readonly id: string },
  now: number,
): Promise<KnownBrowserRow | undefined> {
  return (await readBrowser(db, browser, now)).known
}

/** The stored facts about a browser. */
export interface FoundBrowser {
  /** Undefined once something has changed that the user passes with. */
  readonly known: KnownBrowserRow | undefined
  /** Whether the user has ever passed in it. It takes more than a change of factors to forget that. */
  readonly hasPassed: boolean
}

/** The same, and whether the user has ever passed in it. */
export async function readBrowser(
  db: Queryable,
  { id, domainId, userId }: BrowserOf & { readonly id: string },
  now: number,
): Promise<FoundBrowser> {
  const row = await browserOf(db, { idHash: hashOfBrowser(id), domainId, userId }, now)
  const isKnown = row !== undefined && row.factors === (await factorState(db, userId))
  return { known: isKnown ? row : undefined, hasPassed: row !== undefined }
}

const browserOf = firstRow(
  'browserOf',
  (db, slots: Slots<BrowserOf & { readonly idHash: string }>, now: Slot<number>) =>
    db
      .selectFrom('knownBrowser')
      .selectAll()
      .where((is) => is.and({ idHash: slots.idHash, domainId: slots.domainId, userId: slots.userId }))
      .where('expiresAt', '>', now)
      .where('passedAt', '<=', derived(now, latestBeginning)),
)

type NewBrowserRow = Omit<KnownBrowserRow, 'factors' | 'idHash' | 'seenAt'> & { readonly id: string }

/**
 * Keeps a browser for this user, or keeps it longer. In a transaction that has locked the user.
 *
 * @param knownFactors The state of the user's factors, where this transaction has read it.
 */
export async function keepKnownBrowser(
  db: Queryable,
  { id, ...row }: NewBrowserRow,
  knownFactors?: string,
): Promise<void> {
  const factors = knownFactors ?? (await factorState(db, row.userId))
  await storeBrowser(db, { ...row, idHash: hashOfBrowser(id), factors })
}

const storeBrowser = change('storeBrowser', (db, row: Slots<Omit<KnownBrowserRow, 'seenAt'>>) => {
  const key = pick(row, ['publicKey', 'keptSince', 'keptUntil', 'place'])
  const renewed = { ...pick(row, ['factors', 'passedAt', 'expiresAt', 'rememberedUntil', 'name']), ...key }
  return db
    .insertInto('knownBrowser')
    .values({ ...pick(row, ['idHash', 'domainId', 'userId', 'knownSince']), ...renewed })
    .onConflict((conflict) => conflict.columns(['idHash', 'domainId', 'userId']).doUpdateSet(renewed))
})

/** Finds the browsers that are remembered or kept in the domain, with the factors that the user has now. */
export async function listedBrowsers(
  db: Queryable,
  { domainId, userId }: BrowserOf,
  now: number,
): Promise<KnownBrowserRow[]> {
  const all = await browsersOfUser(db, { domainId, userId }, now)
  const factors = await factorState(db, userId)
  const isListed = (browser: KnownBrowserRow) => (browser.rememberedUntil ?? 0) > now || isKept(browser, now)
  return all.filter((browser) => browser.factors === factors && isListed(browser))
}

const browsersOfUser = allRows('browsersOfUser', (db, slots: Slots<BrowserOf>, now: Slot<number>) =>
  db
    .selectFrom('knownBrowser')
    .selectAll()
    .where((is) => is.and(pick(slots, ['domainId', 'userId'])))
    .where((is) => is.or([is('rememberedUntil', '>', now), is('publicKey', 'is not', null)]))
    .where('expiresAt', '>', now)
    .where('passedAt', '<=', derived(now, latestBeginning)),
)

export const noteSeen = change(
  'noteSeen',
  (db, slots: Slots<BrowserOf & { readonly idHash: string }>, now: Slot<number>) =>
    db
      .updateTable('knownBrowser')
      .set({ seenAt: now })
      .where((is) => is.and(pick(slots, ['idHash', 'domainId', 'userId']))),
)

export const endKnownBrowser = change('endKnownBrowser', (db, slots: Slots<BrowserOf & { readonly idHash: string }>) =>
  db.deleteFrom('knownBrowser').where((is) => is.and(pick(slots, ['idHash', 'domainId', 'userId']))),
)

interface Renaming {
  readonly from: string
  readonly to: string
  /** Others' browsers stay as they are. */
  readonly organizationId: string
  /** The user who has just passed in it. */
  readonly newUserId: string
  /** How many others are taken along. */
  readonly limit: number
}

/**
 * Gives a browser a new id, under which its users are known from now on. Of more than `limit` others, those who passed
 * longest ago are not taken along.
 */
export async function renameBrowser(
  db: Queryable,
  { from, to, organizationId, newUserId, limit }: Renaming,
): Promise<void> {
  const [oldHash, idHash] = [hashOfBrowser(from), hashOfBrowser(to)]
  const users = await usersOfBrowser(db, organizationId, oldHash)
  if (users.length === 0) return
  const otherUserIds = new Set(users.map(({ userId }) => userId).filter((userId) => userId !== newUserId))
  const keptRows = [newUserId, ...[...otherUserIds].slice(0, limit)]
  await setBrowserId(db, oldHash, idHash, keptRows)
  await removeBrowser(db, oldHash)
}

const usersOfBrowser = allRows('usersOfBrowser', (db, organizationId: Slot<string>, idHash: Slot<string>) =>
  db
    .selectFrom('knownBrowser')
    .innerJoin('domain', 'domain.id', 'knownBrowser.domainId')
    .select('knownBrowser.userId')
    .where((is) => is.and({ 'knownBrowser.idHash': idHash, 'domain.organizationId': organizationId }))
    .orderBy('knownBrowser.passedAt', 'desc'),
)

const setBrowserId = change('setBrowserId', (db, from: Slot<string>, to: Slot<string>, userIds: List<string>) =>
  db.updateTable('knownBrowser').set({ idHash: to }).where('idHash', '=', from).where('userId', 'in', userIds),
)

const removeBrowser = change('removeBrowser', (db, idHash: Slot<string>) =>
  db.deleteFrom('knownBrowser').where('idHash', '=', idHash),
)

/** Ends the user's browsers beyond `limit`, those first in which the user passed longest ago. */
export const endOldestBrowsers = change('endOldestBrowsers', (db, userId: Slot<string>, limit: Slot<number>) => {
  const keptRows = db
    .selectFrom('knownBrowser')
    .select('idHash')
    .where('userId', '=', userId)
    .orderBy('passedAt', 'desc')
    .orderBy('idHash')
    .limit(limit)
  return db.deleteFrom('knownBrowser').where('userId', '=', userId).where('idHash', 'not in', keptRows)
})

/** Takes the keys of the user's browsers beyond `limit`, of those first that were kept longest ago. */
export const dropOldestKeys = change('dropOldestKeys', (db, userId: Slot<string>, limit: Slot<number>) => {
  const keptRows = db
    .selectFrom('knownBrowser')
    .select('idHash')
    .where('userId', '=', userId)
    .where('publicKey', 'is not', null)
    .orderBy('keptSince', 'desc')
    .orderBy('idHash')
    .limit(limit)
  return db
    .updateTable('knownBrowser')
    .set({ publicKey: null, keptSince: null, keptUntil: null, place: null })
    .where('userId', '=', userId)
    .where('publicKey', 'is not', null)
    .where('idHash', 'not in', keptRows)
})

/**
 * Ends every known browser of these users, in all domains: none is remembered, kept, or has the second budget. What is left is that the
 * user has passed there.
 */
export const outdateKnownBrowsers = change('outdateKnownBrowsers', (db, userIds: List<string>) =>
  db
    .updateTable('knownBrowser')
    .set({ factors: outdated, rememberedUntil: null, publicKey: null, keptSince: null, keptUntil: null, place: null })
    .where('userId', 'in', userIds),
)

/** No state of factors: see `factorState()`. */
const outdated = ''

/** Forgets every browser of these users, in all domains: each of them is a new one. */
export const endKnownBrowsers = change('endKnownBrowsers', (db, userIds: List<string>) =>
  db.deleteFrom('knownBrowser').where('userId', 'in', userIds),
)

/** Ends the known browsers of a user that have no key, in all domains. Those with a key are no longer remembered, and stay kept. */
export async function endUnkeptBrowsers(db: Queryable, userId: string): Promise<void> {
  await endBrowsersWithoutKey(db, userId)
  await forgetRemembered(db, userId)
}

const endBrowsersWithoutKey = change('endBrowsersWithoutKey', (db, userId: Slot<string>) =>
  db.deleteFrom('knownBrowser').where('userId', '=', userId).where('publicKey', 'is', null),
)

const forgetRemembered = change('forgetRemembered', (db, userId: Slot<string>) =>
  db.updateTable('knownBrowser').set({ rememberedUntil: null }).where('userId', '=', userId),
)

/** Ends browsers of a user, in all domains. */
export const endBrowsersOf = change('endBrowsersOf', (db, userId: Slot<string>, idHashes: List<string>) =>
  db.deleteFrom('knownBrowser').where('userId', '=', userId).where('idHash', 'in', idHashes),
)

export async function countKnownBrowsers(db: Queryable, userId: string, now: number): Promise<number> {
  return Number((await browserCount(db, userId, now)).count)
}

const browserCount = oneRow('browserCount', (db, userId: Slot<string>, now: Slot<number>) =>
  db
    .selectFrom('knownBrowser')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('userId', '=', userId)
    .where('factors', '<>', outdated)
    .where('expiresAt', '>', now)
    .where('passedAt', '<=', derived(now, latestBeginning)),
)

/** A digest of the user's devices, hardware tokens and passkeys: it changes as soon as one is added or removed. */
async function factorState(db: Queryable, userId: string): Promise<string> {
  const factors = await factorIds(db, userId)
  const idsOf = (factorKind: string) => factors.flatMap(({ kind, id }) => (kind === factorKind ? id : [])).toSorted()
  const [passkeys, otherFactors] = [idsOf('passkey'), [idsOf('device'), idsOf('hardware')]]
  // Users without passkeys have the digest that they had before there were any.
  const all = passkeys.length === 0 ? otherFactors : [...otherFactors, passkeys]
  return hash('sha256', JSON.stringify(all), 'base64url')
}

/** One statement for three tables, because a sign-in asks several times. */
const factorIds = allRows('factorIds', (db, userId: Slot<string>) =>
  db
    .selectFrom('device')
    .select(['id', sql.lit('device').as('kind')])
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .unionAll(
      db
        .selectFrom('hardwareToken')
        .select(['id', sql.lit('hardware').as('kind')])
        .where('userId', '=', userId),
    )
    .unionAll(
      db
        .selectFrom('passkey')
        .select(['id', sql.lit('passkey').as('kind')])
        .where('userId', '=', userId),
    ),
)
