import { findMember } from '../domains/find.ts'
import { ApiProblem, tooManyRequests } from '../../engine/base/problem.ts'
import type { Call } from '../../engine/http/route.ts'
import { isAddressSettled, mailsBy, mailsToPerson } from './rules.ts'
import { secondsUntilFree } from '../../engine/limits/attempts.ts'
import type { Limit } from '../../engine/limits/attempts.ts'
import { isCallerVerified, isHelpDeskBlocked } from '../administrators/caller-statements.ts'
import type { DomainRow } from '../domains/statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { tokenOf } from '../factors/possessions.ts'
import type { UserRow } from '../users/statements.ts'
import { isOwnRecord } from '../administrators/own-record.ts'

/** The person that an enrollment mail goes to, and the domain that it is about. */
export interface MailedPerson {
  readonly userId: string
  readonly domainId: string
}

/**
 * Decides whether the caller may send an enrollment mail to a person now. Whatever sends such mails asks here: the console for
 * one person or many, and the command line. It counts nothing and uses nothing up.
 *
 * @returns what forbids it; undefined if nothing does.
 */
export async function enrollmentMailProblem(
  db: Queryable,
  call: Call,
  { userId, domainId }: MailedPerson,
): Promise<ApiProblem | undefined> {
  const { user, domain } = await findMember(call, domainId, { id: userId }, db)
  const now = call.clock.now()
  const forbidden = await forbiddenFor(db, call, user)
  if (forbidden) return forbidden
  if (user.email === '') return new ApiProblem('api.error.conflict.email')
  // A mailbox would otherwise be enough to take over a stronger factor.
  if ((await tokenOf(db, domain.id, userId))?.state === 'active') return new ApiProblem('api.error.conflict.device')
  if (call.authenticatorUrl === undefined) return new ApiProblem('api.error.unavailable.authenticator')
  if (!call.senders.email)
    return new ApiProblem('api.error.unavailable.mail', 'No mail server is set up: MFA_SMTP_URL, or the option smtp.')
  for (const { words, ...limit } of mailLimits(call, userId)) {
    const wait = await secondsUntilFree(db, limit, now)
    if (wait > 0) return tooManyRequests({ limit: words, wait, now })
  }
  return (await needsGuard(db, call, user, domain)) ? new ApiProblem('api.error.forbidden.guarded') : undefined
}

interface WordedLimit extends Limit {
  readonly words: string
}

/** The limits that a mail counts for, first that of the person. At the command line, the machine's access control decides who may send. */
export function mailLimits({ console, actor }: Call, userId: string): readonly [WordedLimit, ...WordedLimit[]] {
  const toPerson = {
    scope: `enrollment mail to ${userId}`,
    ...mailsToPerson,
    words: `at most ${mailsToPerson.limit} enrollment mails to a person in 24 hours`,
  }
  if (!console?.administrator) return [toPerson]
  const by = mailsBy(console.administrator.role)
  const words = `at most ${by.limit} enrollment mails of an administrator in 24 hours`
  return [toPerson, { scope: `enrollment mail by ${actor.id}`, ...by, words }]
}

async function forbiddenFor(db: Queryable, call: Call, { id }: UserRow): Promise<ApiProblem | undefined> {
  const administrator = call.console?.administrator
  if (!administrator) return undefined
  if (isOwnRecord(administrator, { userId: id })) return new ApiProblem('api.error.forbidden.own')
  const blocked = administrator.role === 'helpdesk' && (await isHelpDeskBlocked(db, id, call.clock.now()))
  return blocked ? new ApiProblem('api.error.forbidden.blocked') : undefined
}

/** The help desk mails by itself to an address that has not changed for a week, and otherwise after verifying the caller. */
export async function needsGuard(db: Queryable, call: Call, user: UserRow, { keyType }: DomainRow): Promise<boolean> {
  const administrator = call.console?.administrator
  const now = call.clock.now()
  if (administrator?.role !== 'helpdesk' || isAddressSettled(user, now)) return false
  return !(await isCallerVerified(db, { administratorId: administrator.id, userId: user.id }, keyType, now))
}
