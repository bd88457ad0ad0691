import { z } from 'zod'

import type * as contract from '../../contract/browsers.ts'
import { auditCall } from '../audit/audit.ts'
import { parseJson } from '../http/parse-json.ts'
import type { Call, Handler } from '../http/route.ts'
import { UnsealError } from '../keys/sealing.ts'
import { ApiProblem } from '../problem.ts'
import { factorState, forgetBrowsersOf } from '../store/remembered-browsers.ts'
import { findMember } from './find.ts'

const day = 24 * 60 * 60

/** What a marker says, sealed for its user. Nothing of it is stored. */
const Content = z.object({ domain: z.string(), factors: z.string(), expiresAt: z.number() })

export const remember: Handler<typeof contract.rememberBrowser> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const { db } = call.store
  const expiresAt = call.clock.now() + input.days * day
  const content: z.input<typeof Content> = { domain: domain.id, factors: await factorState(db, user.id), expiresAt }
  const marker = call.secrets.seal(JSON.stringify(content), { kind: 'remembered browser', id: user.id })
  const facts = { domain: domain.id, user: user.id, until: expiresAt }
  await db.transaction().execute((transaction) => auditCall(transaction, call, 'browser.remembered', facts))
  return { marker, expiresAt }
}

export const recognise: Handler<typeof contract.recogniseBrowser> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const content = open(call, input.marker, user.id)
  const good =
    content !== undefined &&
    content.domain === domain.id &&
    content.expiresAt > call.clock.now() &&
    content.factors === (await factorState(call.store.db, user.id))
  if (!good) throw new ApiProblem('api.error.notfound.browser')
  return { expiresAt: content.expiresAt }
}

export const forget: Handler<typeof contract.forgetBrowsers> = async (input, call) => {
  const { user } = await findMember(call, input.domainId, { id: input.userId })
  await call.store.db.transaction().execute(async (db) => {
    await forgetBrowsersOf(db, [user.id])
    await auditCall(db, call, 'browsers.forgotten', { user: user.id })
  })
}

/** One of somebody else, one that was changed, and one that was sealed with a key that is gone do not open. */
function open({ secrets }: Call, marker: string, userId: string): z.output<typeof Content> | undefined {
  try {
    const content = parseJson(secrets.open(marker, { kind: 'remembered browser', id: userId }))
    return Content.parse(content)
  } catch (error) {
    if (error instanceof UnsealError) return undefined
    throw error
  }
}
