import type { Replacement } from '../../../contract/tokens.ts'
import type * as contract from '../../../contract/tokens.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import { requirePass } from '../factors/change-pass.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { isReplaceable, newActivationCode, shownCodeExpiry } from './activation-code.ts'
import { hasExpired, tokenOf } from '../factors/possessions.ts'
import type { DomainRow } from '../domains/statements.ts'
import { clearReplacement, setReplacement } from './replacement-statements.ts'
import type { CodeGrant } from './replacement-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import { activationCodeText } from '../../engine/secrets/secrets.ts'
import { removeShownToken } from './token-statements.ts'
import type { TokenRow } from '../factors/possessions.ts'
import { findDomain, findMember } from '../domains/find.ts'
import { lockMember } from '../users/lock-member.ts'
import { issueToken } from './tokens.ts'

/**
 * The old device stays in use until the code is used, so a user who gives up or loses the code has lost nothing. Users who
 * have other factors but no device get a code for a first device.
 */
export const issue: Handler<typeof contract.issueReplacement> = async (input, call) => {
  const domain = await findDomain(call, input.domainId)
  return inTransaction(call.store.db, async (db) => {
    const user = await lockMember(db, call, domain.id, input.userId)
    const change = { userId: user.id, changed: 'device', pass: input.pass, domainId: domain.id } as const
    const grant = input.pass === undefined ? handedOver : await requirePass(db, call, change)
    const token = await tokenOf(db, domain.id, user.id)
    if (token?.state === 'active') {
      return currentReplacement(call, token, grant) ?? issueCode(call, db, domain, { token, grant, epoch: input.epoch })
    }
    const now = call.clock.now()
    const replacement = token && !hasExpired(token, now) ? pending(call, token, grant) : undefined
    if (replacement) return replacement
    const expiresAt = shownCodeExpiry(now)
    const firstOnly = user.everEnrolled === 0
    const { code } = await issueToken(call, db, { domain, user, expiresAt, firstOnly, selfEnrollment: true, grant })
    return { code, expiresAt }
  })
}

/**
 * Withdraws the unused code that a page shows. A device that was activated with it a moment ago stays, and so does a code
 * that an administrator issued.
 */
export const withdraw: Handler<typeof contract.withdrawReplacement> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  await call.store.db.transaction().execute(async (db) => {
    const token = await tokenOf(db, domain.id, user.id)
    if (!token) return
    const facts = { token: token.id, domain: domain.id, user: user.id }
    if (await removeShownToken(db, token.id)) await auditCall(db, call, 'token.revoked', facts)
    else if (await clearReplacement(db, token.id)) await auditCall(db, call, 'token.replacement_withdrawn', facts)
  })
}

/** Codes that an administrator issued are neither shown nor replaced. */
function pending({ secrets }: Call, token: TokenRow, grant: CodeGrant): Replacement | undefined {
  const { id, userId, code, codeExpiresAt: expiresAt, selfEnrollment } = token
  if (selfEnrollment !== 1 || code === null || expiresAt === null) throw new ApiProblem('api.error.conflict.state')
  if (!isGrantedBy(token, grant)) return undefined
  return { code: secrets.open(code, { kind: 'activation code', id, userId }), expiresAt }
}

function currentReplacement({ clock, secrets }: Call, token: TokenRow, grant: CodeGrant): Replacement | undefined {
  const { id, userId, replacement, replacementExpiresAt: expiresAt } = token
  if (replacement === null || !isReplaceable(expiresAt, clock.now())) return undefined
  if (!isGrantedBy(token, grant)) return undefined
  return { code: secrets.open(replacement, { kind: 'replacement code', id, userId }), expiresAt }
}

/** The grant of a code from an administrator: the user did not have to pass for it. */
const handedOver: CodeGrant = { factor: null, factorId: null }

/** A code ends with the factor it was granted by. Another factor gets its own code, because a thief may know this one. */
function isGrantedBy({ grantedFactor, grantedFactorId }: TokenRow, { factor, factorId }: CodeGrant): boolean {
  return grantedFactor === factor && grantedFactorId === factorId
}

async function issueCode(
  call: Call,
  db: Queryable,
  domain: DomainRow,
  { token, grant: { factor, factorId }, epoch }: { token: TokenRow; grant: CodeGrant; epoch: string | undefined },
): Promise<Replacement> {
  const { id, userId } = token
  const code = newActivationCode(call.random)
  const expiresAt = shownCodeExpiry(call.clock.now())
  const set = await setReplacement(db, id, {
    sealed: call.secrets.seal(code, { kind: 'replacement code', id, userId }),
    lookup: call.secrets.lookup(activationCodeText(code)),
    expiresAt,
    epoch,
    grant: { factor, factorId },
  })
  if (!set) throw notFound()
  await auditCall(db, call, 'token.replacement_issued', {
    token: id,
    domain: domain.id,
    user: userId,
    until: expiresAt,
  })
  return { code, expiresAt }
}

const notFound = () => new ApiProblem('api.error.notfound.token')
