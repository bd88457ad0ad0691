import { audit } from '../../engine/audit/audit.ts'
import type { AuditContext } from '../../engine/audit/audit.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import type { SentFactor } from '../../../contract/factor-descriptions.ts'
import type { Call } from '../../engine/http/route.ts'
import { answerOnce } from '../../engine/idempotency/answer-once.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { lockMember } from '../users/lock-member.ts'
import { tooManyRequests } from '../../engine/base/problem.ts'
import { channels } from './channels.ts'
import { sentCodeLifetime, sentCodeLimits } from './rules.ts'
import { restOfPlace } from '../users/reach.ts'
import { forgetAttempt, takeAttempt } from '../../engine/limits/attempts.ts'
import type { DomainRow } from '../domains/statements.ts'
import { replaceSentCode } from './statements.ts'
import { sentCodeText } from '../../engine/secrets/secrets.ts'
import type { UserRow } from '../users/statements.ts'

type Context = Pick<ServiceContext, 'store' | 'clock' | 'secrets'> & AuditContext

/** A reservation to send one code, which can be released again. */
export interface SendReservation {
  readonly factor: SentFactor
  readonly userId: string
  readonly at: number
}

/** Reserves sending a code. @throws {ApiProblem} if no code may be sent now. */
export async function reserveSend(
  { store, clock }: Context,
  domain: DomainRow,
  user: UserRow,
  factor: SentFactor,
): Promise<SendReservation> {
  const now = clock.now()
  const wait = await store.db.transaction().execute(async (db) => {
    const currentMember = await lockMember(db, domain, domain.id, user.id)
    requireSettledPlace(factor, currentMember, now)
    return takeAttempt(db, sentCodeLimits(factor, user.id), now)
  })
  const limit = `at most one ${channels[factor].words.code} in 60 seconds and 5 in an hour for each user`
  if (wait > 0) throw tooManyRequests({ limit, wait, now })
  return { factor, userId: user.id, at: now }
}

/** A failure to send is not the user's fault and does not count. */
export async function releaseSend({ store }: Context, { factor, userId, at }: SendReservation): Promise<void> {
  await store.db.transaction().execute(async (db) => {
    for (const { scope } of sentCodeLimits(factor, userId)) await forgetAttempt(db, scope, at)
  })
}

/** A code that was sent, and to whom. */
interface SentCode {
  readonly domain: DomainRow
  readonly user: UserRow
  readonly factor: SentFactor
  readonly code: string
}

/** Stores a code that was sent, and invalidates all others, unless the place has changed meanwhile. */
export async function storeSentCode(
  ctx: Context & Pick<Call, 'memory'>,
  { domain, user, factor, code }: SentCode,
): Promise<void> {
  const member = { domainId: domain.id, userId: user.id }
  const now = ctx.clock.now()
  const store = async (db: Queryable) => {
    const currentMember = await lockMember(db, domain, domain.id, user.id)
    requireSettledPlace(factor, currentMember, now)
    const codeLookup = ctx.secrets.lookup(sentCodeText(factor, member, code))
    await replaceSentCode(db, { ...member, codeLookup, wrongTries: 0, expiresAt: now + sentCodeLifetime })
    const facts = { domain: domain.id, user: user.id }
    await audit(db, ctx, { event: `${factor}_code.sent`, organizationId: domain.organizationId, facts })
    return code
  }
  await answerOnce(ctx, { change: store, answer: () => undefined })
}

function requireSettledPlace(factor: SentFactor, user: UserRow, now: number): void {
  const wait = restOfPlace(factor, user, now)
  const limit = `no codes are sent to ${channels[factor].words.place} for 24 hours after it was changed`
  if (wait > 0) throw tooManyRequests({ limit, wait, now })
}
