import type * as contract from '../../../contract/sessions.ts'
import { isStrong } from '../../../contract/factor-descriptions.ts'
import { countsUnder, stricter } from '../../../contract/phishing-resistance.ts'
import { placeKey } from '../../../contract/session-facts.ts'
import type { Attribute } from '../../../contract/sessions.ts'
import { auditRedeemed, auditRedeemRefused } from './audit.ts'
import { answerOnce } from '../../engine/idempotency/answer-once.ts'
import type { Call, Handler, Input } from '../../engine/http/route.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { mayKeep, policyForBrowser } from '../browsers/kept-browsers.ts'
import { redeemableFor } from './rules.ts'
import { sessionView } from './view.ts'
import { epochOfUser } from '../browsers/epochs.ts'
import { redeemApproval } from './statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import type { SessionRow } from './statements.ts'
import { readCommitted } from '../../engine/database/transaction-ends.ts'
import { findDomain } from '../domains/find.ts'
import { passInBrowser } from '../browsers/known-browser.ts'
import { load } from './operations.ts'
import type { SessionBrowser } from '../../../contract/known-browser.ts'
import type { DomainRow } from '../domains/statements.ts'

export const redeem: Handler<typeof contract.redeemSession> = async (input, call) => {
  const session = await load(call, input)
  const domain = await findDomain(call, input.domainId)
  const redeemed =
    countsUnder(policyOf(domain, input, session.browser), session) &&
    (await answerOnce(call, {
      change: (db) => redeemWithin(call, db, session, input),
      answer: (view) => view,
      begin: (run) => readCommitted(call.store.db).execute(run),
    }))
  if (redeemed) return redeemed
  await auditRedeemRefused(call, session)
  throw new ApiProblem('api.error.conflict.state')
}

/** Call it in a transaction. @returns undefined if another call was first, or the approval does not count. */
export async function redeemWithin(
  call: Call,
  db: Queryable,
  { id, domainId, userId }: SessionRow,
  { challenge, browser }: Pick<Input<typeof contract.redeemSession>, 'challenge' | 'browser'>,
) {
  const now = call.clock.now()
  const [redeemedRow, epoch] = await Promise.all([
    redeemApproval(db, { id, domainId, challenge, settledAfter: now - redeemableFor }, now),
    epochOfUser(db, userId),
  ])
  if (!redeemedRow) return undefined
  await auditRedeemed(db, call, redeemedRow, call)
  return { ...sessionView(redeemedRow), epoch, browser: await passedIn(call, db, redeemedRow, browser) }
}

/** A weak factor does not make a browser known: an attacker who can only read the mail must not get the second budget. */
function passedIn(
  call: Call,
  db: Queryable,
  session: SessionRow,
  input: Input<typeof contract.redeemSession>['browser'],
) {
  if (input === undefined || (session.factor !== null && !isStrong(session.factor))) return undefined
  const { id: browser, publicKey, ...more } = input
  const key = mayKeep(session) ? publicKey : undefined
  const place = more.place ?? placeOf(session)
  const member = { domainId: session.domainId, userId: session.userId }
  return passInBrowser(call, db, { ...member, browser, ...more, place, publicKey: key })
}

/** The place that the device has shown. */
function placeOf({ attributes }: SessionRow): string | undefined {
  return (JSON.parse(attributes) as Attribute[]).find(({ key }) => key === placeKey)?.value
}

/** The strictest of what the domain and the app ask for, and what the app asks for from a browser that is not kept. */
export const policyOf = (
  domain: DomainRow,
  {
    phishingResistant,
    unknownBrowser,
  }: Pick<Input<typeof contract.createSession>, 'phishingResistant' | 'unknownBrowser'>,
  browser: SessionBrowser | null,
) => stricter(stricter(domain.phishingResistant, phishingResistant), policyForBrowser(browser, unknownBrowser))
