import type { Token } from '../../contract/tokens.ts'
import type * as contract from '../../contract/tokens.ts'
import { auditCall, auditRevoked } from '../audit/audit.ts'
import type { Call, Handler } from '../http/route.ts'
import { ApiProblem } from '../problem.ts'
import { codeExpiry, hasExpired, newActivationCode } from '../rules/activation-code.ts'
import { newId } from '../rules/random.ts'
import type { DomainRow } from '../store/domains.ts'
import { deviceOfToken } from '../store/devices.ts'
import { limitToFirst } from '../store/enrolment.ts'
import type { Queryable } from '../store/schema.ts'
import { activationCodeText } from '../store/secrets.ts'
import { insertToken, revokeTokens, tokenOf } from '../store/tokens.ts'
import type { TokenRow } from '../store/tokens.ts'
import type { UserRow } from '../store/users.ts'
import { findDomain, findMember, lockMember } from './find.ts'
import { notifyRevoked } from './notify.ts'

export const issue: Handler<typeof contract.issueToken> = async (input, call) => {
  const domain = await findDomain(call, input.domainId)
  const now = call.clock.now()
  return call.store.db.transaction().execute(async (db) => {
    const user = await lockMember(db, call, domain.id, input.userId)
    const present = await tokenOf(db, domain.id, user.id)
    if (present && !hasExpired(present, now)) return show(call, db, user, present)
    requireCodesFor(call, user)
    // Whoever takes over an app and its key must not keep a code for later.
    return issueAnew(call, db, domain, { userId: user.id, firstOnly: call.role === 'auth' })
  })
}

export const issueFirst: Handler<typeof contract.issueFirstToken> = async (input, call) => {
  const domain = await findDomain(call, input.domainId)
  const now = call.clock.now()
  return call.store.db.transaction().execute(async (db) => {
    const user = await lockMember(db, call, domain.id, input.userId)
    if (user.everEnrolled === 1) throw new ApiProblem('api.error.conflict.enrolled')
    const present = await tokenOf(db, domain.id, user.id)
    if (!present || hasExpired(present, now)) return issueAnew(call, db, domain, { userId: user.id, firstOnly: true })
    await limitToFirst(db, present.id)
    return show(call, db, user, present)
  })
}

export const get: Handler<typeof contract.getToken> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const token = await tokenOf(call.store.db, domain.id, user.id)
  if (!token || hasExpired(token, call.clock.now())) throw new ApiProblem('api.error.notfound.token')
  return show(call, call.store.db, user, token)
}

export const revoke: Handler<typeof contract.revokeToken> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const now = call.clock.now()
  const revoked = await call.store.db.transaction().execute(async (db) => {
    const token = await tokenOf(db, domain.id, user.id)
    if (!token || hasExpired(token, now)) throw new ApiProblem('api.error.notfound.token')
    const ended = await revokeTokens(db, { userIds: [user.id], domainId: domain.id }, now)
    await auditRevoked(db, call, ended, call)
    return ended
  })
  notifyRevoked(call, revoked)
}

async function issueAnew(
  call: Call,
  db: Queryable,
  domain: DomainRow,
  { userId, firstOnly }: { userId: string; firstOnly: boolean },
): Promise<Token> {
  const now = call.clock.now()
  const ended = await revokeTokens(db, { userIds: [userId], domainId: domain.id }, now)
  // The token itself had run out.
  await auditRevoked(db, call, { ...ended, tokens: [] }, call)
  const id = newId(call.random)
  const code = newActivationCode(call.random)
  await insertToken(db, {
    id,
    domainId: domain.id,
    userId,
    state: 'pending',
    code: call.secrets.seal(code, { kind: 'activation code', id }),
    codeLookup: call.secrets.lookup(activationCodeText(code)),
    codeExpiresAt: codeExpiry(now, domain.activationCodeExpiration),
    firstOnly: firstOnly ? 1 : 0,
    createdAt: now,
  })
  await auditCall(db, call, 'token.issued', { token: id, domain: domain.id, user: userId })
  return { state: 'pending', code }
}

async function show(call: Call, db: Queryable, user: UserRow, token: TokenRow): Promise<Token> {
  if (token.state === 'active' || token.code === null) {
    // What people call their devices is none of the business of whoever only asks them.
    const device = call.role === 'admin' ? await deviceOfToken(db, token.id) : undefined
    return { state: token.state, ...(device && { device }) }
  }
  requireCodesFor(call, user)
  return { state: 'pending', code: call.secrets.open(token.code, { kind: 'activation code', id: token.id }) }
}

/** Whoever takes over an app and its key of role `auth` must not be able to replace the devices people have. */
function requireCodesFor(call: Call, user: UserRow): void {
  if (call.role === 'auth' && user.everEnrolled === 1) throw new ApiProblem('api.error.forbidden')
}
