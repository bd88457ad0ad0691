import type * as contract from '../../../contract/browsers.ts'
import { secondsUntilPush } from './push-budget.ts'
import type { Handler } from '../../engine/http/route.ts'
import { untilUnlocked } from '../codes/lock.ts'
import { codeBudgets, endOfLock } from '../codes/tries.ts'
import { findMember } from '../domains/find.ts'
import { activeDevice } from '../factors/possessions.ts'
import { budgetOf, namedBrowser } from '../browsers/known-browser.ts'

/**
 * Only reads: the pauses are checked again, and counted, when a session is created. Without a device there are no requests that could
 * be paused.
 */
export const pauses: Handler<typeof contract.readPauses> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const { db } = call.store
  const now = call.clock.now()
  const member = { domainId: domain.id, userId: user.id }
  const budget = budgetOf(await namedBrowser(call, db, { ...member, browser: input.browser }))
  const knownBrowserFact = budget === 'known' ? 1 : 0
  const pushRequest = { ...member, challenge: '', ipAddress: null, knownBrowser: knownBrowserFact } as const
  const device = await activeDevice(db, domain.id, user.id)
  const wait = device === undefined ? 0 : await secondsUntilPush(call, db, pushRequest)
  const until = endOfLock(codeBudgets[budget].lockOf(user), now)
  return {
    ...(wait > 0 && { push: { until: now + wait } }),
    ...(until !== null && until > now && { codes: until === untilUnlocked ? {} : { until } }),
  }
}
