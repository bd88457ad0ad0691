import type { z } from 'zod'

import { maxReportedRows } from '../../../contract/domains.ts'
import type * as contract from '../../../contract/domains.ts'
import { Email, Name } from '../../../contract/users.ts'
import { validate } from '../../../contract/validate.ts'
import { auditCall, auditRevoked } from '../../engine/audit/audit.ts'
import type { Caller } from '../../engine/context/caller.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { readPage } from '../../engine/http/paging.ts'
import type { Call, Handler, Input, Prepare, PreparedHandler } from '../../engine/http/route.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { lockMember } from '../users/lock-member.ts'
import { isLeaving, leaveDomain } from '../users/leave.ts'
import { listMembers } from '../users/member-statements.ts'
import * as tickets from '../users/synchronization-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { noneRevoked } from '../../engine/base/revoked.ts'
import { lockUser, userById } from '../users/statements.ts'
import type { SynchronizedRow } from '../users/synchronization-stage.ts'
import { synchronizeMembers } from '../users/synchronize.ts'
import { findDomain, findMember } from './find.ts'
import { notifyRevoked } from '../../engine/waiting/notify.ts'
import { addToDomain, showAll } from '../users/operations.ts'
import { nextTurn } from '../../engine/base/next-turn.ts'

export const add: Handler<typeof contract.addMember> = async (input, call) => {
  const domain = await findDomain(call, input.domainId)
  await call.store.db.transaction().execute(async (db) => {
    const { userId } = input
    // So that a user who is being deleted is not left with a membership, and an administrator who changes the user knows of it.
    if (!(await lockUser(db, call.organizationId, userId))) throw new ApiProblem('api.error.notfound.user')
    if (!(await userById(db, call.organizationId, userId))) throw new ApiProblem('api.error.notfound.user')
    await joinDomain(db, call, { domainId: domain.id, userId })
  })
}

/** Adds a user to a domain. In a transaction that has locked the user. */
export async function joinDomain(
  db: Queryable,
  call: Caller,
  { domainId, userId }: { readonly domainId: string; readonly userId: string },
): Promise<void> {
  const membership = { domainId, userIds: [userId] }
  const ended = (await isLeaving(db, domainId, userId)) ? await leaveDomain(db, call, membership) : noneRevoked
  await auditRevoked(db, call, ended, call)
  await addToDomain(db, call, domainId, userId)
  notifyRevoked(db, call, ended)
}

export const get: Handler<typeof contract.getMember> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const [view] = await showAll(call, [user], domain.id)
  if (!view) throw new ApiProblem('api.error.notfound.user')
  return view
}

export const list: Handler<typeof contract.listMembers> = async (input, call) => {
  const domain = await findDomain(call, input.domainId)
  return readPage(call, input, {
    rows: (page) => listMembers(call.store.db, domain.id, page),
    show: (rows) => showAll(call, rows, domain.id),
  })
}

export const remove: Handler<typeof contract.removeMember> = async ({ domainId, userId }, call) => {
  await findDomain(call, domainId)
  await call.store.db.transaction().execute((db) => removeInTransaction(db, call, { domainId, userId }))
}

export async function removeInTransaction(
  db: Queryable,
  ctx: ServiceContext & { readonly organizationId: string },
  { domainId, userId }: { readonly domainId: string; readonly userId: string },
): Promise<void> {
  await lockMember(db, ctx, domainId, userId)
  const ended = await leaveDomain(db, ctx, { domainId, userIds: [userId] })
  await auditRevoked(db, ctx, ended, ctx)
  await auditCall(db, ctx, 'membership.removed', { domain: domainId, user: userId })
  notifyRevoked(db, ctx, ended)
}

/** Lists are ordered by arrival: a slow upload does not overwrite a list that arrived later. */
export const drawTicket: Prepare<typeof contract.synchronizeMembers, number> = async (params, call) => {
  const { organizationId } = call
  const ticket = await tickets.drawTicket(call.store.db, { organizationId, domainId: params.domainId })
  if (ticket === undefined) throw new ApiProblem('api.error.notfound.domain')
  return ticket
}

export const synchronize: PreparedHandler<typeof contract.synchronizeMembers, number> = async (input, call, ticket) => {
  const { organizationId, http } = call
  const { domainId } = input
  const expected = expectedVersion(call)
  const { rows: usable, report } =
    call.version === '1.3' ? { rows: input.rows, report: undefined } : await usableRows(input.rows)
  const rows = await distinctRows(usable)
  await synchronizeMembers(call, { organizationId, domainId, rows, ticket, expected, disconnected: http?.disconnected })
  if (call.version !== '1.3') http?.setHeader('ETag', `"${ticket}"`)
  if (report)
    call.logger.warn(
      { domain: domainId, unused: report.unused },
      'synchronization: some names or addresses were not used',
    )
  return report
}

/** The rows without the names and addresses that cannot be used, and a report of these. */
async function usableRows(
  rows: Input<typeof contract.synchronizeMembers>['rows'],
): Promise<{ rows: SynchronizedRow[]; report: contract.SynchronizationReport | undefined }> {
  const usable: SynchronizedRow[] = []
  const reported: contract.SynchronizationReport['rows'] = []
  let unused = 0
  for (const [position, { username, name, email }] of rows.entries()) {
    if (position % slice === 0) await nextTurn()
    const use = (field: 'name' | 'email', schema: z.ZodType<string>, value: string): string | undefined => {
      const validated = validate(schema, value)
      if (validated.success) return value
      unused += 1
      const [{ message }] = validated.mistakes
      if (reported.length < maxReportedRows) reported.push({ row: position, field, message })
      return undefined
    }
    usable.push({ username, name: use('name', Name, name), email: email === '' ? '' : use('email', Email, email) })
  }
  return { rows: usable, report: unused === 0 ? undefined : { unused, rows: reported } }
}

/** The version in `If-Match`, in quotes. Only version 1.4 of the interface has it. */
function expectedVersion({ version, http }: Call): number | undefined {
  const ifMatch = http?.ifMatch ?? '*'
  if (version === '1.3' || ifMatch === '*') return undefined
  const [, digits] = /^"(\d{1,15})"$/.exec(ifMatch) ?? []
  if (digits === undefined) throw new ApiProblem('api.error.precondition', 'If-Match: expected a version in quotes.')
  return Number(digits)
}

/** Rows that are compared before the event loop continues with other work. */
const slice = 5_000

/**
 * Identical rows count as one. Two different rows for one username are rejected; the message says where they are, not what
 * they contain.
 */
async function distinctRows(rows: readonly SynchronizedRow[]): Promise<SynchronizedRow[]> {
  const firsts = new Map<string, { row: SynchronizedRow; position: number }>()
  for (const [position, row] of rows.entries()) {
    if (position % slice === 0) await nextTurn()
    const first = firsts.get(row.username)
    if (!first) firsts.set(row.username, { row, position })
    else if (row.name !== first.row.name || row.email !== first.row.email) {
      const message = `users[${position}].username: the same as users[${first.position}].username, but name or email differ`
      throw new ApiProblem('api.error.invalid.users', message)
    }
  }
  return Array.from(firsts.values(), ({ row }) => row)
}
