import { ceremonyLifetime } from '../../../contract/passkeys.ts'
import type * as contract from '../../../contract/passkeys.ts'
import { auditSession } from './audit.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { answerOnce } from '../../engine/idempotency/answer-once.ts'
import type { Call, Handler, Input } from '../../engine/http/route.ts'
import { presentSignIn, useSignIn } from '../passkeys/check-sign-in.ts'
import type { PresentedSignIn } from '../passkeys/check-sign-in.ts'
import { newSignInChallenge } from '../passkeys/sign-in-challenge.ts'
import { loadWebAuthn } from '../passkeys/webauthn.ts'
import { domainById } from '../domains/statements.ts'
import { memberBy } from '../users/member-statements.ts'
import { insertSession } from './statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { readCommitted } from '../../engine/database/transaction-ends.ts'
import { lockUser } from '../users/statements.ts'
import { sessionView } from './view.ts'
import { findDomain } from '../domains/find.ts'
import { blank } from './create.ts'

/** Stores nothing: see `newSignInChallenge`. */
export const start: Handler<typeof contract.startPasskeySignIn> = async (input, call) => {
  await loadWebAuthn(call)
  const { id: domainId } = await findDomain(call, input.domainId)
  const { rp, challenge } = input
  return {
    challenge: newSignInChallenge(call, { domainId, rpId: rp.id, challenge }, call.clock.now()),
    rpId: rp.id,
    timeout: ceremonyLifetime * 1_000,
    userVerification: 'required',
    allowCredentials: [],
  }
}

/** All wrong answers are one error, which does not say whether there is such a passkey or such a user. */
export const signIn: Handler<typeof contract.createPasskeySession> = async (input, call) => {
  const { id: domainId } = await findDomain(call, input.domainId)
  const { rp, challenge, response } = input
  const request = { domainId, rpId: rp.id, challenge, origins: rp.origins }
  const presentedSignIn = await presentSignIn(call, response, request)
  const created = presentedSignIn && (await approve(call, presentedSignIn, input))
  if (!created) throw new ApiProblem('api.error.notfound.passkey')
  call.observer.settled('approved', 1, { factor: 'passkey' })
  return created
}

function approve(call: Call, presentedSignIn: PresentedSignIn, input: Input<typeof contract.createPasskeySession>) {
  const change = async (db: Queryable) => {
    const { organizationId } = call
    const { userId, request } = presentedSignIn
    const { domainId } = request
    if (!(await lockUser(db, organizationId, userId))) return undefined
    const [domain, user] = [
      await domainById(db, organizationId, domainId),
      await memberBy(db, { organizationId, domainId }, { id: userId }),
    ]
    const right = domain && user && (await useSignIn(call, db, presentedSignIn))
    if (!right) return undefined
    const { challenge, ipAddress } = input
    const session = blank(call, { input: { challenge, ipAddress }, domain, user, budget: 'other', browser: null })
    const approved = { ...session, state: 'approved', ...right, settledAt: call.clock.now() } as const
    const stored = await insertSession(db, approved)
    await auditSession(db, call, stored, call)
    return { ...sessionView(stored), user: { id: user.id, username: user.username } }
  }
  return answerOnce(call, {
    change,
    answer: (session) => session,
    begin: (run) => readCommitted(call.store.db).execute(run),
  })
}
