import type { KnownBrowser } from '../../contract/browsers.ts'
import { auditCall } from '../audit/audit.ts'
import type { Call } from '../http/route.ts'
import type { Budget } from '../rules/known-browsers.ts'
import { browsersPerUser, knownFor, usersPerBrowser } from '../rules/known-browsers.ts'
import { random128 } from '../rules/random.ts'
import { endOldestBrowsers, keepKnownBrowser, knownBrowser, renameBrowser } from '../store/known-browsers.ts'
import type { BrowserOf } from '../store/known-browsers.ts'
import type { Queryable } from '../store/schema.ts'
import { lockUser } from '../store/users.ts'

const day = 24 * 60 * 60

/** The budget a request counts against. A browser that is known for another user is not known for this one. */
export async function budgetOf(
  call: Call,
  db: Queryable,
  { browser, ...of }: BrowserOf & { readonly browser: string | undefined },
): Promise<Budget> {
  if (browser === undefined) return 'other'
  return (await knownBrowser(db, { id: browser, ...of }, call.clock.now())) ? 'known' : 'other'
}

interface Pass extends BrowserOf {
  /** The value that the browser sent, which can be anything. */
  readonly browser: string | undefined
  readonly rememberDays?: number | undefined
  readonly name?: string | undefined
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
  const present = browser === undefined ? undefined : await knownBrowser(db, { id: browser, domainId, userId }, now)
  const id = present && browser !== undefined ? browser : random128(call.random)
  if (!present && browser !== undefined) {
    await renameBrowser(db, { from: browser, to: id, organizationId, newUserId: userId, limit: usersPerBrowser - 1 })
  }
  const rememberedUntil = rememberDays === undefined ? (present?.rememberedUntil ?? null) : now + rememberDays * day
  const expiresAt = now + knownFor
  const name = pass.name ?? present?.name ?? null
  const kept = { id, domainId, userId, passedAt: now, expiresAt, rememberedUntil, name, knownSince: now }
  await keepKnownBrowser(db, kept)
  await endOldestBrowsers(db, userId, browsersPerUser)
  const facts = { domain: domainId, user: userId }
  if (!present) await auditCall(db, call, 'browser.known', { ...facts, until: expiresAt })
  if (rememberDays !== undefined && rememberedUntil !== null) {
    await auditCall(db, call, 'browser.remembered', { ...facts, until: rememberedUntil })
  }
  return { id, expiresAt, rememberedUntil: rememberedUntil ?? undefined }
}
