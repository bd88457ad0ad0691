import { audit } from '../../engine/audit/audit.ts'
import type { AuditContext } from '../../engine/audit/audit.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import type { Call } from '../../engine/http/route.ts'
import { answerOnce } from '../../engine/idempotency/answer-once.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { lockMember } from '../users/lock-member.ts'
import { tooManyRequests } from '../../engine/base/problem.ts'
import { emailCodeLifetime, emailCodeLimits } from './rules.ts'
import { restOfPlace } from '../users/reach.ts'
import { forgetAttempt, takeAttempt } from '../../engine/limits/attempts.ts'
import type { DomainRow } from '../domains/statements.ts'
import { replaceEmailCode } from './statements.ts'
import { emailCodeText } from '../../engine/secrets/secrets.ts'
import type { UserRow } from '../users/statements.ts'

type Context = Pick<ServiceContext, 'store' | 'clock' | 'secrets'> & AuditContext

/** A reservation to send one code, which can be released again. */
export interface SendReservation {
  readonly userId: string
  readonly at: number
}

/** Reserves sending a code. @throws {ApiProblem} if no code may be sent now. */
export async function reserveSend(
  { store, clock }: Context,
  domain: DomainRow,
  user: UserRow,
): Promise<SendReservation> {
  const now = clock.now()
  const wait = await store.db.transaction().execute(async (db) => {
    const currentMember = await lockMember(db, domain, domain.id, user.id)
    const rest = restOfPlace('email', currentMember, now)
    if (rest > 0) throw tooManyRequests({ limit: changedAddress, wait: rest, now })
    return takeAttempt(db, emailCodeLimits(user.id), now)
  })
  const limit = 'at most one e-mailed code in 60 seconds and 5 in an hour for each user'
  if (wait > 0) throw tooManyRequests({ limit, wait, now })
  return { userId: user.id, at: now }
}

/** A failure to send is not the user's fault and does not count. */
export async function releaseSend({ store }: Context, { userId, at }: SendReservation): Promise<void> {
  await store.db.transaction().execute(async (db) => {
    for (const { scope } of emailCodeLimits(userId)) await forgetAttempt(db, scope, at)
  })
}

/** Stores a code that was sent, and invalidates all others, unless the user's address has changed meanwhile. */
export async function storeSentCode(
  ctx: Context & Pick<Call, 'memory'>,
  domain: DomainRow,
  user: UserRow,
  code: string,
): Promise<void> {
  const member = { domainId: domain.id, userId: user.id }
  const now = ctx.clock.now()
  const store = async (db: Queryable) => {
    const currentMember = await lockMember(db, domain, domain.id, user.id)
    const rest = restOfPlace('email', currentMember, now)
    if (rest > 0) throw tooManyRequests({ limit: changedAddress, wait: rest, now })
    const codeLookup = ctx.secrets.lookup(emailCodeText(member, code))
    await replaceEmailCode(db, { ...member, codeLookup, wrongTries: 0, expiresAt: now + emailCodeLifetime })
    const facts = { domain: domain.id, user: user.id }
    await audit(db, ctx, { event: 'email_code.sent', organizationId: domain.organizationId, facts })
    return code
  }
  await answerOnce(ctx, { change: store, answer: () => undefined })
}

const changedAddress = 'no codes are sent to an e-mail address for 24 hours after it was changed'
