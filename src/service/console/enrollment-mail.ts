import { activationLink } from '../../contract/activation-link.ts'
import { requireStillAllowed } from '../admin/acting.ts'
import { findMember } from '../api/find.ts'
import { issueToken } from '../api/tokens.ts'
import { auditCall } from '../audit/audit.ts'
import { lockMember } from '../factors/lock-member.ts'
import { ApiProblem } from '../ground/problem.ts'
import type { Call } from '../http/route.ts'
import { enrollmentMail } from '../mail/enrollment-mail.ts'
import { codeExpiry, newActivationCode } from '../rules/activation-code.ts'
import { forgetAttempt, noteAttempt } from '../store/attempts.ts'
import { belongings } from '../store/belongings.ts'
import type { DomainRow } from '../store/domains.ts'
import { organizationById } from '../store/organizations.ts'
import type { Queryable } from '../store/schema.ts'
import { tokenOf } from '../store/tokens.ts'
import type { UserRow } from '../store/users.ts'
import { enrollmentMailProblem, mailLimits } from './may-mail.ts'
import type { MailedPerson } from './may-mail.ts'

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
 * one. If the mail cannot be sent, nothing changes, and it does not count.
 *
 * @returns when the link ends, Unix time, seconds.
 * @throws {ApiProblem} that of `enrollmentMailProblem`, or `api.error.unavailable.mail`.
 */
export async function sendEnrollmentMail(call: Call, wanted: WantedMail): Promise<number> {
  // Not in one transaction, because other writers would wait for the mail server.
  const reserved = await call.store.db.transaction().execute((db) => reserve(db, call, wanted))
  const code = newActivationCode(call.random)
  try {
    await deliver(call, reserved, code)
  } catch (cause) {
    await release(call, reserved)
    throw new ApiProblem('api.error.unavailable.mail', undefined, { headers: { 'Retry-After': '10' }, cause })
  }
  await call.store.db.transaction().execute((db) => store(db, call, { ...reserved, code }))
  return reserved.expiresAt
}

async function reserve(db: Queryable, call: Call, { days, ...person }: WantedMail): Promise<Reserved> {
  await requireStillAllowed(db, call)
  // Mails to one person follow each other from here on: what is counted below, no other mail is counting.
  await lockMember(db, call, person.domainId, person.userId)
  const problem = await enrollmentMailProblem(db, call, person)
  if (problem) throw problem
  const at = call.clock.now()
  await noteAttempt(db, mailLimits(call, person.userId), at)
  const { user, domain } = await findMember(call, person.domainId, { id: person.userId }, db)
  const has = (await belongings(db, [user.id], at)).get(user.id)
  const enrolled =
    has !== undefined && (has.hasActiveToken || has.hardwareId !== undefined || has.passkeyRpIds.length > 0)
  return { user, domain, at, expiresAt: codeExpiry(at, days), enrolled }
}

async function deliver(call: Call, { user, domain, expiresAt, enrolled }: Reserved, code: string): Promise<void> {
  const {
    mailer,
    authenticatorUrl = '',
    organizationId,
    store: { db },
  } = call
  const organization = (await organizationById(db, organizationId))?.name ?? ''
  const link = activationLink(authenticatorUrl, code)
  const { language, email } = user
  const mail = await enrollmentMail({ organization, domain: domain.name, link, expiresAt, enrolled, language })
  await mailer?.send({ ...mail, to: email })
}

/** A failure to send is not the person's fault, and does not count for the person. */
async function release(call: Call, { user, at }: Reserved): Promise<void> {
  const [toPerson] = mailLimits(call, user.id)
  await call.store.db.transaction().execute((db) => forgetAttempt(db, toPerson.scope, at))
}

/** From now on only this link works, unless access or address have changed, or a device was set up meanwhile. */
async function store(
  db: Queryable,
  call: Call,
  { user: { id, email }, domain, at, expiresAt, code }: Reserved & { readonly code: string },
): Promise<void> {
  await requireStillAllowed(db, call)
  const user = await lockMember(db, call, domain.id, id)
  if (user.email !== email) throw readdressed()
  if ((await tokenOf(db, domain.id, id))?.state === 'active') throw new ApiProblem('api.error.conflict.device')
  const mailed = { code, at }
  await issueToken(call, db, { domain, user, expiresAt, firstOnly: false, selfEnrollment: false, mailed })
  await auditCall(db, call, 'enrollment.mailed', { domain: domain.id, user: id, until: expiresAt })
}

const readdressed = () =>
  new ApiProblem(
    'api.error.conflict.state',
    'The e-mail address was changed meanwhile, so the mailed link does not work.',
  )
