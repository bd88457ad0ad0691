import { placeKey } from '../../../contract/sessions.ts'
import type { Attribute } from '../../../contract/sessions.ts'
import type { Token } from '../../../contract/tokens.ts'
import type * as contract from '../../../contract/tokens.ts'
import { auditCall, auditRevoked } from '../../engine/audit/audit.ts'
import { announceRevoked } from '../factors/announcements.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { codeExpiry, isReplaceable, newActivationCode } from './activation-code.ts'
import { hasExpired, activeDevice, tokenOf } from '../factors/possessions.ts'
import { newId } from '../../engine/base/random.ts'
import { lastCodeAt } from '../codes/totp.ts'
import type { DomainRow } from '../domains/statements.ts'
import { lastStepOf } from '../codes/statements.ts'
import { lastApproval } from './history-statements.ts'
import { deviceOfToken, renameDevice } from './statements.ts'
import type { CodeGrant } from './replacement-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { activationCodeText } from '../../engine/secrets/secrets.ts'
import { insertToken, revokeTokens } from './token-statements.ts'
import type { TokenRow } from '../factors/possessions.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import type { UserRow } from '../users/statements.ts'
import { findDomain, findMember } from '../domains/find.ts'
import { lockMember } from '../users/lock-member.ts'
import { notifyRevoked } from '../../engine/waiting/notify.ts'

export const issue: Handler<typeof contract.issueToken> = async ({ userId, domainId }, call) => {
  const domain = await findDomain(call, domainId)
  const expiresAt = codeExpiry(call.clock.now(), domain.activationCodeExpiration)
  return inTransaction(call.store.db, (db) => issueOrShow(call, db, { domain, userId, expiresAt }))
}

interface Issued {
  readonly domain: DomainRow
  readonly userId: string
  readonly expiresAt: number
}

/** Shows the current token while it is pending or active; otherwise issues one. In a transaction. */
export async function issueOrShow(call: Call, db: Queryable, { domain, userId, expiresAt }: Issued): Promise<Token> {
  const user = await lockMember(db, call, domain.id, userId)
  const currentToken = await tokenOf(db, domain.id, user.id)
  const isPresent = currentToken && !hasExpired(currentToken, call.clock.now())
  if (isPresent && !mustBeUnseen(call, currentToken)) return show(call, db, user, currentToken)
  requireCodesFor(call, user)
  // An attacker who takes over an app and its key must not be able to keep a code for later.
  return issueToken(call, db, { domain, user, expiresAt, firstOnly: call.role === 'auth', selfEnrollment: false })
}

export const issueFirst: Handler<typeof contract.issueFirstToken> = async (input, call) => {
  const domain = await findDomain(call, input.domainId)
  const now = call.clock.now()
  return call.store.db.transaction().execute(async (db) => {
    const user = await lockMember(db, call, domain.id, input.userId)
    if (user.everEnrolled === 1) throw new ApiProblem('api.error.conflict.enrolled')
    const currentToken = await tokenOf(db, domain.id, user.id)
    if (!currentToken || hasExpired(currentToken, now)) {
      const expiresAt = codeExpiry(now, domain.activationCodeExpiration)
      return issueToken(call, db, { domain, user, expiresAt, firstOnly: true, selfEnrollment: true })
    }
    // A page never shows a code that an administrator hands over in person: the password alone would be enough to get it.
    return currentToken.selfEnrollment === 1 ? show(call, db, user, currentToken) : { state: currentToken.state }
  })
}

export const get: Handler<typeof contract.getToken> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const token = await tokenOf(call.store.db, domain.id, user.id)
  if (!token || hasExpired(token, call.clock.now())) throw new ApiProblem('api.error.notfound.token')
  return show(call, call.store.db, user, token)
}

export const rename: Handler<typeof contract.renameDevice> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  await call.store.db.transaction().execute(async (db) => {
    const device = await activeDevice(db, domain.id, user.id)
    if (!device) throw new ApiProblem('api.error.notfound.token')
    await renameDevice(db, device.id, input.name)
    await auditCall(db, call, 'device.renamed', { device: device.id, domain: domain.id, user: user.id })
  })
}

export const revoke: Handler<typeof contract.revokeToken> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const now = call.clock.now()
  await inTransaction(call.store.db, async (db) => {
    const token = await tokenOf(db, domain.id, user.id)
    if (!token || hasExpired(token, now)) throw new ApiProblem('api.error.notfound.token')
    const ended = await revokeTokens(db, { userIds: [user.id], domainId: domain.id }, now)
    await auditRevoked(db, call, ended, call)
    await announceRevoked(db, call, ended, call)
    notifyRevoked(db, call, ended)
  })
}

/** An administrator never hands over a code that a page has shown. */
function mustBeUnseen(call: Call, token: TokenRow): boolean {
  return call.role === 'admin' && token.state === 'pending' && token.selfEnrollment === 1
}

interface NewToken {
  readonly domain: DomainRow
  readonly user: UserRow
  readonly expiresAt: number
  readonly firstOnly: boolean
  readonly selfEnrollment: boolean
  /** The factor the user passed with to see the code, if passing was required. */
  readonly grant?: CodeGrant
  /** A code that was mailed at that time, before it works. */
  readonly mailed?: { readonly code: string; readonly at: number }
}

/** Creates a pending token, which replaces whatever the user had in the domain. */
export async function issueToken(
  call: Call,
  db: Queryable,
  { domain, user: { id: userId }, expiresAt, firstOnly, selfEnrollment, grant, mailed }: NewToken,
): Promise<Token & { readonly code: string }> {
  const now = call.clock.now()
  const currentToken = await tokenOf(db, domain.id, userId)
  const ended = await revokeTokens(db, { userIds: [userId], domainId: domain.id }, now)
  // An expired token had already ended.
  const tokens = currentToken && !hasExpired(currentToken, now) ? ended.tokens : []
  await auditRevoked(db, call, { ...ended, tokens }, call)
  await announceRevoked(db, call, ended, call)
  const id = newId(call.random)
  const code = mailed?.code ?? newActivationCode(call.random)
  await insertToken(db, {
    id,
    domainId: domain.id,
    userId,
    state: 'pending',
    code: call.secrets.seal(code, { kind: 'activation code', id, userId }),
    codeLookup: call.secrets.lookup(activationCodeText(code)),
    codeExpiresAt: expiresAt,
    mailedAt: mailed?.at,
    firstOnly: firstOnly ? 1 : 0,
    selfEnrollment: selfEnrollment ? 1 : 0,
    grantedFactor: grant?.factor,
    grantedFactorId: grant?.factorId,
    createdAt: now,
  })
  await auditCall(db, call, 'token.issued', { token: id, domain: domain.id, user: userId })
  return { state: 'pending', code, ...(selfEnrollment && { selfEnrollment, expiresAt }) }
}

async function show(call: Call, db: Queryable, user: UserRow, token: TokenRow): Promise<Token> {
  if (token.state === 'active' || token.code === null) {
    // The names of devices are for administrators; an app that only signs users in does not need them.
    const device = call.role === 'admin' ? await shownDevice(db, token) : undefined
    return { state: token.state, ...(device && { device }), ...replacementOf(call, token) }
  }
  requireCodesFor(call, user)
  return {
    state: 'pending',
    code: call.secrets.open(token.code, { kind: 'activation code', id: token.id, userId: user.id }),
    ...(token.selfEnrollment === 1 && { selfEnrollment: true, expiresAt: token.codeExpiresAt ?? 0 }),
  }
}

/** When and where the user last used the device is known from what it keeps anyway: its history, and the step of its codes. */
async function shownDevice(db: Queryable, { id }: TokenRow): Promise<Token['device']> {
  const device = await deviceOfToken(db, id)
  if (!device) return undefined
  const [approval, generator] = [await lastApproval(db, device.id), await lastStepOf(db, device.id)]
  const codeAt = (generator && lastCodeAt(generator)) ?? 0
  if (!approval || codeAt > approval.settledAt) return { ...device, ...(codeAt > 0 && { lastUsedAt: codeAt }) }
  const attributes = JSON.parse(approval.attributes) as readonly Attribute[]
  const place = attributes.find(({ key }) => key === placeKey)?.value
  return { ...device, lastUsedAt: approval.settledAt, lastUsedPlace: place }
}

/** Whether a replacement for the device was issued, and until when it is valid. Its code cannot be read again. */
function replacementOf({ clock }: Call, { replacementExpiresAt: expiresAt }: TokenRow): Pick<Token, 'replacement'> {
  return isReplaceable(expiresAt, clock.now()) ? { replacement: { expiresAt } } : {}
}

/** An attacker who takes over an app and its key of role `auth` must not be able to replace users' devices. */
function requireCodesFor(call: Call, user: UserRow): void {
  if (call.role === 'auth' && user.everEnrolled === 1) throw new ApiProblem('api.error.forbidden')
}
