import type * as contract from '../../../contract/browsers.ts'
import type * as users from '../../../contract/users.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import { requirePass } from '../factors/change-pass.ts'
import { lockMember } from '../users/lock-member.ts'
import type { Handler } from '../../engine/http/route.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { isKept } from './kept-browsers.ts'
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
import { endSessionsButKeys, epochOfUser } from './epochs.ts'

const day = 24 * 60 * 60

export const recognize: Handler<typeof contract.recognizeBrowser> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const now = call.clock.now()
  const browserKey = { id: input.browser ?? '', domainId: domain.id, userId: user.id }
  const browser = await knownBrowser(call.store.db, browserKey, now)
  if (!browser) throw new ApiProblem('api.error.notfound.browser')
  const { expiresAt, rememberedUntil } = browser
  // The list alone needs this: the answer does not depend on whether it can be stored.
  if (usedAt(browser) <= now - day) await noteSeen(call.store.db, browser, now).catch(() => {})
  return { expiresAt, ...(rememberedUntil !== null && rememberedUntil > now && { rememberedUntil }) }
}

/** The most recent use that is known: passing the second step, or the gate without it. */
const usedAt = ({ passedAt, seenAt }: KnownBrowserRow): number => Math.max(passedAt, seenAt ?? 0)

/** Half of the hash identifies a browser, and no one can find the id in its cookie with it. */
const publicId = ({ idHash }: KnownBrowserRow): string => idHash.slice(0, 40)

export const list: Handler<typeof contract.listBrowsers> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const now = call.clock.now()
  const rows = await listedBrowsers(call.store.db, { domainId: domain.id, userId: user.id }, now)
  const current = input.browser === undefined ? undefined : hashOfBrowser(input.browser)
  const views = rows.map((row) => ({
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
  return views.toSorted((a, b) => b.lastUsedAt - a.lastUsedAt)
}

export const forgetOne: Handler<typeof contract.forgetBrowser> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const owner = { domainId: domain.id, userId: user.id }
  await call.store.db.transaction().execute(async (db) => {
    await lockMember(db, call, domain.id, user.id)
    const now = call.clock.now()
    const browsers = await listedBrowsers(db, owner, now)
    const browser = browsers.find((row) => publicId(row) === input.browserId)
    if (!browser) throw new ApiProblem('api.error.notfound.browser')
    if (isKept(browser, now)) await requirePass(db, call, { ...owner, changed: 'browsers', pass: input.pass })
    await endKnownBrowser(db, browser)
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

export const endSessions: Handler<typeof users.endUserSessions> = async (input, call) => {
  const { user } = await findMember(call, input.domainId, { id: input.userId })
  const epoch = await call.store.db.transaction().execute(async (db) => {
    await endSessionsButKeys(db, user.id, input.epoch)
    await auditCall(db, call, 'user.sessions_ended', { user: user.id })
    return epochOfUser(db, user.id)
  })
  if (epoch === undefined) throw new ApiProblem('api.error.notfound.user')
  return { epoch }
}
