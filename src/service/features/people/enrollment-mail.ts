import { activationLink } from '../../../contract/activation-link.ts'
import { findMember } from '../domains/find.ts'
import { issueToken } from '../devices/tokens.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import { undecided } from '../../engine/context/within.ts'
import type { Transact } from '../../engine/context/within.ts'
import { lockMember } from '../users/lock-member.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call } from '../../engine/http/route.ts'
import { enrollmentMail } from '../../engine/mail/enrollment-mail.ts'
import { codeExpiry, newActivationCode } from '../devices/activation-code.ts'
import { forgetAttempt, noteAttempt } from '../../engine/limits/attempts.ts'
import { belongings } from '../users/belongings.ts'
import type { DomainRow } from '../domains/statements.ts'
import { organizationById } from '../domains/organization-statements.ts'
import { tokenOf } from '../factors/possessions.ts'
import type { UserRow } from '../users/statements.ts'
import { enrollmentMailProblem, mailLimits, needsGuard } from './may-mail.ts'
import type { MailedPerson } from './may-mail.ts'

/** How the right to send a mail is decided. */
interface Deciding {
  /** Opens a transaction in which the right to change the person has been decided. */
  readonly change: Transact<Call>
  /** The same before the mail is sent, where it differs: what the change needs is there, and not used up. */
  readonly prepare?: Transact<Call>
  /** The evidence that the help desk needs for a mail that it does not send by itself. Many people at once get no such mail. */
  readonly evidence?: Evidence
}

/** Both throw where there is none, and run in a transaction. */
interface Evidence {
  /** Uses nothing up. */
  readonly require: (call: Call) => Promise<unknown>
  readonly use: (call: Call) => Promise<void>
}

/** An enrollment mail, with how long its link works. */
export interface WantedMail extends MailedPerson {
  readonly days: number
}

/** A mail that was counted, and is on its way. */
interface Reserved {
  readonly user: UserRow
  readonly domain: DomainRow
  readonly at: number
  readonly expiresAt: number
  readonly enrolled: boolean
}

/**
 * Mails a person a link that sets up a device. The link works once the mail server has accepted the mail, and ends an earlier
 * one. If the mail cannot be sent, nothing changes, it does not count, and no consent is used up.
 *
 * @returns when the link ends, Unix time, seconds.
 * @throws {ApiProblem} that of `enrollmentMailProblem`, or `api.error.unavailable.mail`.
 */
export async function sendEnrollmentMail(
  call: Call,
  mail: WantedMail,
  { change, prepare = change, evidence }: Deciding = { change: undecided(call) },
): Promise<number> {
  // Not in one transaction, because other writers would wait for the mail server.
  const reserved = await prepare((inside) => reserve(inside, mail, evidence))
  const code = newActivationCode(call.random)
  try {
    const sending = () => deliver(call, reserved, code)
    await (call.http ? call.http.outside(sending) : sending())
  } catch (cause) {
    await release(call, reserved)
    throw new ApiProblem('api.error.unavailable.mail', undefined, { headers: { 'Retry-After': '10' }, cause })
  }
  await change((inside) => store(inside, { ...reserved, code, evidence }))
  return reserved.expiresAt
}

async function reserve(call: Call, { days, ...person }: WantedMail, evidence: Evidence | undefined): Promise<Reserved> {
  const { db } = call.store
  // Mails to one person follow each other from here on: what is counted below, no other mail is counting.
  await lockMember(db, call, person.domainId, person.userId)
  const problem = await enrollmentMailProblem(db, call, person)
  if (problem?.code === 'api.error.forbidden.guarded' && evidence) await evidence.require(call)
  else if (problem) throw problem
  const at = call.clock.now()
  await noteAttempt(db, mailLimits(call, person.userId), at)
  const { user, domain } = await findMember(call, person.domainId, { id: person.userId })
  const has = (await belongings(db, [user.id], at)).get(user.id)
  const enrolled =
    has !== undefined && (has.hasActiveToken || has.hardwareId !== undefined || has.passkeyRpIds.length > 0)
  return { user, domain, at, expiresAt: codeExpiry(at, days), enrolled }
}

async function deliver(call: Call, { user, domain, expiresAt, enrolled }: Reserved, code: string): Promise<void> {
  const {
    senders,
    authenticatorUrl = '',
    organizationId,
    store: { db },
  } = call
  const organization = (await organizationById(db, organizationId))?.name ?? ''
  const link = activationLink(authenticatorUrl, code)
  const { language, timeZone, email } = user
  const mail = await enrollmentMail({
    organization,
    domain: domain.name,
    link,
    expiresAt,
    enrolled,
    language,
    timeZone,
  })
  await senders.email?.send({ ...mail, to: email })
}

/** A failure to send is not the person's fault, and does not count for the person. */
async function release(call: Call, { user, at }: Reserved): Promise<void> {
  const [toPerson] = mailLimits(call, user.id)
  await call.store.db.transaction().execute((db) => forgetAttempt(db, toPerson.scope, at))
}

interface Sent extends Reserved {
  readonly code: string
  readonly evidence: Evidence | undefined
}

/**
 * From now on only this link works, unless access or address have changed, a device was set up, or the evidence has ended
 * meanwhile.
 */
async function store(call: Call, { user: { id, email }, domain, at, expiresAt, code, evidence }: Sent): Promise<void> {
  const { db } = call.store
  const user = await lockMember(db, call, domain.id, id)
  if (user.email !== email) throw readdressed()
  if ((await tokenOf(db, domain.id, id))?.state === 'active') throw new ApiProblem('api.error.conflict.device')
  if (await needsGuard(db, call, user, domain)) {
    if (!evidence) throw new ApiProblem('api.error.forbidden.guarded')
    await evidence.use(call)
  }
  const mailed = { code, at }
  await issueToken(call, db, { domain, user, expiresAt, firstOnly: false, selfEnrollment: false, mailed })
  await auditCall(db, call, 'enrollment.mailed', { domain: domain.id, user: id, until: expiresAt })
}

const readdressed = () =>
  new ApiProblem(
    'api.error.conflict.state',
    'The e-mail address was changed meanwhile, so the mailed link does not work.',
  )
