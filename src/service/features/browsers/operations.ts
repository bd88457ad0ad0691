import type * as contract from '../../../contract/browsers.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import { requirePass } from '../factors/change-pass.ts'
import { lockMember } from '../factors/lock-member.ts'
import { secondsUntilPush } from '../sessions/push-budget.ts'
import type { Handler } from '../../engine/http/route.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { untilUnlocked } from '../codes/lock.ts'
import { isKept } from './kept-browsers.ts'
import { codesLockedUntil } from '../codes/tries.ts'
import {
  endKnownBrowser,
  endKnownBrowsers,
  endUnkeptBrowsers,
  hashOfBrowser,
  knownBrowser,
  noteSeen,
  listedBrowsers,
} from './statements.ts'
import type { KnownBrowserRow } from './statements.ts'
import { findMember } from '../domains/find.ts'
import { budgetOf, namedBrowser } from './known-browser.ts'

const day = 24 * 60 * 60

export const recognize: Handler<typeof contract.recognizeBrowser> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const now = call.clock.now()
  const of = { id: input.browser ?? '', domainId: domain.id, userId: user.id }
  const found = await knownBrowser(call.store.db, of, now)
  if (!found) throw new ApiProblem('api.error.notfound.browser')
  const { expiresAt, rememberedUntil } = found
  // For the list alone: the answer does not depend on whether it can be stored.
  if (usedAt(found) <= now - day) await noteSeen(call.store.db, found, now).catch(() => {})
  return { expiresAt, ...(rememberedUntil !== null && rememberedUntil > now && { rememberedUntil }) }
}

/** The most recent use that is known: passing the second step, or the gate without it. */
const usedAt = ({ passedAt, seenAt }: KnownBrowserRow): number => Math.max(passedAt, seenAt ?? 0)

/** Half of the hash identifies a browser, and no one can find the id in its cookie with it. */
const publicId = ({ idHash }: KnownBrowserRow): string => idHash.slice(0, 40)

export const list: Handler<typeof contract.listBrowsers> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const now = call.clock.now()
  const found = await listedBrowsers(call.store.db, { domainId: domain.id, userId: user.id }, now)
  const current = input.browser === undefined ? undefined : hashOfBrowser(input.browser)
  const shown = found.map((row) => ({
    id: publicId(row),
    name: row.name ?? undefined,
    knownSince: row.knownSince ?? undefined,
    lastUsedAt: Math.min(usedAt(row), now),
    ...(row.rememberedUntil !== null && row.rememberedUntil > now && { rememberedUntil: row.rememberedUntil }),
    ...(isKept(row, now) && {
      keptSince: row.keptSince ?? undefined,
      keptUntil: row.keptUntil ?? undefined,
      place: row.place ?? undefined,
    }),
    ...(row.idHash === current && { current: true as const }),
  }))
  return shown.toSorted((a, b) => b.lastUsedAt - a.lastUsedAt)
}

export const forgetOne: Handler<typeof contract.forgetBrowser> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const of = { domainId: domain.id, userId: user.id }
  await call.store.db.transaction().execute(async (db) => {
    await lockMember(db, call, domain.id, user.id)
    const now = call.clock.now()
    const browsers = await listedBrowsers(db, of, now)
    const wanted = browsers.find((row) => publicId(row) === input.browserId)
    if (!wanted) throw new ApiProblem('api.error.notfound.browser')
    if (isKept(wanted, now)) await requirePass(db, call, { ...of, changed: 'browsers', pass: input.pass })
    await endKnownBrowser(db, wanted)
    await auditCall(db, call, 'browser.forgotten', { domain: domain.id, user: user.id })
  })
}

export const forget: Handler<typeof contract.forgetBrowsers> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  await call.store.db.transaction().execute(async (db) => {
    await lockMember(db, call, domain.id, user.id)
    const { pass } = input
    if (pass === undefined) await endUnkeptBrowsers(db, user.id)
    else {
      await requirePass(db, call, { domainId: domain.id, userId: user.id, changed: 'browsers', pass })
      await endKnownBrowsers(db, [user.id])
    }
    await auditCall(db, call, 'browsers.forgotten', { user: user.id })
  })
}

/** Only reads: the pauses are checked again, and counted, when a session is created. */
export const pauses: Handler<typeof contract.readPauses> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const { db } = call.store
  const now = call.clock.now()
  const of = { domainId: domain.id, userId: user.id }
  const budget = budgetOf(await namedBrowser(call, db, { ...of, browser: input.browser }))
  const knownBrowserFact = budget === 'known' ? 1 : 0
  const asking = { ...of, challenge: '', ipAddress: null, knownBrowser: knownBrowserFact } as const
  const wait = await secondsUntilPush(call, db, asking)
  const until = await codesLockedUntil(db, { userId: user.id, budget }, now)
  return {
    ...(wait > 0 && { push: { until: now + wait } }),
    ...(until !== null && until !== undefined && until > now && { codes: until === untilUnlocked ? {} : { until } }),
  }
}
