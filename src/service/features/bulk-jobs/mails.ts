import type { BulkReason } from '../../../admin-contract/bulk-jobs.ts'
import { linkDays } from '../../../admin-contract/link-days.ts'
import type { ErrorCode } from '../../../contract/errors.ts'
import type { Transact } from '../../engine/context/within.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call } from '../../engine/http/route.ts'
import { activeAmong } from './statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { sendEnrollmentMail } from '../people/enrollment-mail.ts'
import { enrollmentMailProblem } from '../people/may-mail.ts'

/** The people who get no enrollment mail, with the reason. People with a device are found first, because most have one. */
export async function mailRefusals(
  db: Queryable,
  call: Call,
  domainId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, BulkReason>> {
  const active = new Set(await activeAmong(db, domainId, userIds))
  const refused = new Map<string, BulkReason>()
  for (const userId of userIds) {
    const problem = active.has(userId) ? undefined : await enrollmentMailProblem(db, call, { userId, domainId })
    if (active.has(userId)) refused.set(userId, 'enrolled')
    else if (problem) refused.set(userId, reasonOf(problem))
  }
  return refused
}

/** @returns why nothing was sent, undefined if the mail server has accepted the mail. */
export async function sendMail(
  call: Call,
  person: { readonly userId: string; readonly domainId: string },
  deciding: { readonly prepare: Transact<Call>; readonly change: Transact<Call> },
): Promise<BulkReason | undefined> {
  try {
    await sendEnrollmentMail(call, { ...person, days: linkDays.usual }, deciding)
    return undefined
  } catch (error) {
    if (error instanceof ApiProblem) return reasonOf(error)
    throw error
  }
}

const reasonOf = ({ code }: ApiProblem): BulkReason => reasons[code] ?? 'failed'

const reasons: Partial<Record<ErrorCode, BulkReason>> = {
  'api.error.forbidden.own': 'own',
  'api.error.forbidden.blocked': 'blocked',
  'api.error.forbidden.guarded': 'guarded',
  'api.error.notfound.user': 'not_found',
  'api.error.conflict.email': 'no_email',
  'api.error.conflict.device': 'enrolled',
  'api.error.toomanyrequests': 'limit',
}
