import type { KnownBrowser } from '../../../contract/browsers.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import type { Call } from '../../engine/http/route.ts'
import type { MailFacts } from '../../engine/mail/mail-facts.ts'
import { mailAfterCommit } from '../../engine/mail/mail-after-commit.ts'
import { isKept, keptFor, keptPerUser } from './kept-browsers.ts'
import type { Budget } from '../../../contract/known-browser.ts'
import { browsersPerUser, knownFor, usersPerBrowser } from './rules.ts'
import { random128 } from '../../engine/base/random.ts'
import {
  dropOldestKeys,
  endOldestBrowsers,
  keepKnownBrowser,
  knownBrowser,
  readBrowser,
  renameBrowser,
} from './statements.ts'
import type { BrowserOf, FoundBrowser, KnownBrowserRow } from './statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { pick } from '../../engine/database/statement.ts'
import { lockUser } from '../users/statements.ts'

const day = 24 * 60 * 60

/** The browser that a caller names. One that is known for another user is not known for this one. */
export async function namedBrowser(
  call: Call,
  db: Queryable,
  { browser, ...owner }: BrowserOf & { readonly browser: string | undefined },
): Promise<FoundBrowser> {
  if (browser === undefined) return { known: undefined, hasPassed: false }
  return readBrowser(db, { id: browser, ...owner }, call.clock.now())
}

/** The budget a request counts against. */
export const budgetOf = ({ known }: Pick<FoundBrowser, 'known'>): Budget => (known ? 'known' : 'other')

interface Pass extends BrowserOf {
  /** The value that the browser sent, which can be anything. */
  readonly browser: string | undefined
  readonly rememberDays?: number | undefined
  readonly name?: string | undefined
  readonly place?: string | undefined
  /** Undefined unless the browser may be kept. */
  readonly publicKey: string | undefined
}

/**
 * Records that the user has passed in this browser, or extends the time it is known. An id that this user does not have is
 * never adopted, because an attacker may have planted it: the browser gets a new id, which keeps its other users.
 */
export async function passInBrowser(call: Call, db: Queryable, pass: Pass): Promise<KnownBrowser> {
  const { browser, rememberDays, domainId, userId } = pass
  const { organizationId } = call
  const now = call.clock.now()
  await lockUser(db, organizationId, userId)
  const knownRow = browser === undefined ? undefined : await knownBrowser(db, { id: browser, domainId, userId }, now)
  const id = knownRow && browser !== undefined ? browser : random128(call.random)
  if (!knownRow && browser !== undefined) {
    await renameBrowser(db, { from: browser, to: id, organizationId, newUserId: userId, limit: usersPerBrowser - 1 })
  }
  const rememberedUntil = rememberDays === undefined ? (knownRow?.rememberedUntil ?? null) : now + rememberDays * day
  const expiresAt = now + knownFor
  const name = pass.name ?? knownRow?.name ?? null
  const key = keyOf(pass, knownRow, now)
  const row = { id, domainId, userId, passedAt: now, expiresAt, rememberedUntil, name, knownSince: now, ...key }
  await keepKnownBrowser(db, row, knownRow?.factors)
  if (!knownRow) await endOldestBrowsers(db, userId, browsersPerUser)
  if (pass.publicKey !== undefined) await dropOldestKeys(db, userId, keptPerUser)
  const facts = { domain: domainId, user: userId }
  if (!knownRow) await auditCall(db, call, 'browser.known', { ...facts, until: expiresAt })
  if (rememberDays !== undefined && rememberedUntil !== null) {
    await auditCall(db, call, 'browser.remembered', { ...facts, until: rememberedUntil })
  }
  const isNewlyKept = pass.publicKey !== undefined && !(knownRow && isKept(knownRow, now))
  if (isNewlyKept)
    await tellKept(call, db, {
      domainId,
      userId,
      until: now + keptFor,
      facts: { browser: name ?? undefined, place: key.place ?? undefined },
    })
  const keptUntil = isKept(key, now) ? (key.keptUntil ?? undefined) : undefined
  return { id, expiresAt, rememberedUntil: rememberedUntil ?? undefined, keptUntil }
}

/** The columns of the key: that of this pass, or the one that the row has already. */
function keyOf({ publicKey, ...pass }: Pass, knownRow: KnownBrowserRow | undefined, now: number) {
  const place = pass.place ?? knownRow?.place ?? null
  if (publicKey !== undefined) return { publicKey, keptSince: now, keptUntil: now + keptFor, place }
  if (!knownRow) return { publicKey: null, keptSince: null, keptUntil: null, place: null }
  return pick(knownRow, ['publicKey', 'keptSince', 'keptUntil', 'place'])
}

async function tellKept(
  call: Call,
  db: Queryable,
  { domainId, userId, until, facts }: BrowserOf & { readonly until: number; readonly facts: MailFacts },
) {
  await auditCall(db, call, 'browser.kept', { domain: domainId, user: userId, until })
  await mailAfterCommit(db, call, {
    kind: 'browser_kept',
    organizationId: call.organizationId,
    userId,
    domainId,
    facts: { ...facts, by: 'you' },
  })
}
