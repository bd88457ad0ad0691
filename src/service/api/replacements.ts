import type { Replacement } from '../../contract/tokens.ts'
import type * as contract from '../../contract/tokens.ts'
import { auditCall } from '../audit/audit.ts'
import type { Call, Handler } from '../http/route.ts'
import { ApiProblem } from '../problem.ts'
import { codeExpiry, newActivationCode } from '../rules/activation-code.ts'
import type { DomainRow } from '../store/domains.ts'
import { clearReplacement, setReplacement } from '../store/replacements.ts'
import type { Queryable } from '../store/schema.ts'
import { activationCodeText } from '../store/secrets.ts'
import { removePendingToken, tokenOf } from '../store/tokens.ts'
import type { TokenRow } from '../store/tokens.ts'
import { findMember } from './find.ts'

/** The old device stays in use until the code is: whoever loses heart, or the code, has lost nothing. */
export const issue: Handler<typeof contract.issueReplacement> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  return call.store.db.transaction().execute(async (db) => {
    const token = await tokenOf(db, domain.id, user.id)
    if (token?.state !== 'active') throw notFound()
    return present(call, token) ?? issueAnew(call, db, domain, token)
  })
}

/** Whatever code there is that was not used yet; a device that was set up with it a moment ago stays. */
export const withdraw: Handler<typeof contract.withdrawReplacement> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  await call.store.db.transaction().execute(async (db) => {
    const token = await tokenOf(db, domain.id, user.id)
    if (!token) return
    const facts = { token: token.id, domain: domain.id, user: user.id }
    if (await removePendingToken(db, token.id)) await auditCall(db, call, 'token.revoked', facts)
    else if (await clearReplacement(db, token.id)) await auditCall(db, call, 'token.replacement_withdrawn', facts)
  })
}

function present({ clock, secrets }: Call, token: TokenRow): Replacement | undefined {
  const { id, replacement, replacementExpiresAt: expiresAt } = token
  if (replacement === null || expiresAt === null || expiresAt <= clock.now()) return undefined
  return { code: secrets.open(replacement, { kind: 'replacement code', id }), expiresAt }
}

async function issueAnew(call: Call, db: Queryable, domain: DomainRow, token: TokenRow): Promise<Replacement> {
  const { id, userId } = token
  const code = newActivationCode(call.random)
  const expiresAt = codeExpiry(call.clock.now(), domain.activationCodeExpiration)
  const set = await setReplacement(db, id, {
    sealed: call.secrets.seal(code, { kind: 'replacement code', id }),
    lookup: call.secrets.lookup(activationCodeText(code)),
    expiresAt,
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
