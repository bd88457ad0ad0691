import type * as contract from '../../contract/browsers.ts'
import { auditCall } from '../audit/audit.ts'
import { secondsUntilPush } from '../push/push-budget.ts'
import type { Handler } from '../http/route.ts'
import { ApiProblem } from '../ground/problem.ts'
import { untilUnlocked } from '../rules/code-lock.ts'
import { codesLockedUntil } from '../store/code-tries.ts'
import { endKnownBrowsers, knownBrowser } from '../store/known-browsers.ts'
import { findMember } from './find.ts'
import { budgetOf } from './known-browser.ts'

export const recognize: Handler<typeof contract.recognizeBrowser> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const now = call.clock.now()
  const of = { id: input.browser ?? '', domainId: domain.id, userId: user.id }
  const found = await knownBrowser(call.store.db, of, now)
  if (!found) throw new ApiProblem('api.error.notfound.browser')
  const { expiresAt, rememberedUntil } = found
  return { expiresAt, ...(rememberedUntil !== null && rememberedUntil > now && { rememberedUntil }) }
}

export const forget: Handler<typeof contract.forgetBrowsers> = async (input, call) => {
  const { user } = await findMember(call, input.domainId, { id: input.userId })
  await call.store.db.transaction().execute(async (db) => {
    await endKnownBrowsers(db, [user.id])
    await auditCall(db, call, 'browsers.forgotten', { user: user.id })
  })
}

/** Only reads: the pauses are checked again, and counted, when a session is created. */
export const pauses: Handler<typeof contract.readPauses> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const { db } = call.store
  const now = call.clock.now()
  const of = { domainId: domain.id, userId: user.id }
  const budget = await budgetOf(call, db, { ...of, browser: input.browser })
  const knownBrowserFact = budget === 'known' ? 1 : 0
  const asking = { ...of, challenge: '', ipAddress: null, knownBrowser: knownBrowserFact } as const
  const wait = await secondsUntilPush(call, db, asking)
  const until = await codesLockedUntil(db, { userId: user.id, budget }, now)
  return {
    ...(wait > 0 && { push: { until: now + wait } }),
    ...(until !== null && until > now && { codes: until === untilUnlocked ? {} : { until } }),
  }
}
