import type * as contract from '../../contract/domains.ts'
import { auditCall, auditRevoked } from '../audit/audit.ts'
import { cutPage, parsePage } from '../http/paging.ts'
import type { Handler } from '../http/route.ts'
import { ApiProblem } from '../problem.ts'
import { isLeaving, leaveDomain } from '../store/leave.ts'
import { insertMember, listMembers, memberBy } from '../store/members.ts'
import { noneRevoked } from '../store/tokens.ts'
import { userById } from '../store/users.ts'
import { synchronizeMembers } from '../synchronisation/synchronize.ts'
import { findDomain, findMember } from './find.ts'
import { notifyRevoked } from './notify.ts'
import { showAll } from './users.ts'

export const add: Handler<typeof contract.addMember> = async (input, call) => {
  const domain = await findDomain(call, input.domainId)
  const revoked = await call.store.db.transaction().execute(async (db) => {
    // Inside, so that a user who is being deleted does not come back as a membership of nobody.
    const user = await userById(db, call.organizationId, input.userId)
    if (!user) throw new ApiProblem('api.error.notfound.user')
    const of = { domainId: domain.id, userIds: [user.id] }
    const ended = (await isLeaving(db, domain.id, user.id)) ? await leaveDomain(db, of, call.clock.now()) : noneRevoked
    await auditRevoked(db, call, ended, call)
    const added = await insertMember(db, domain.id, user.id)
    if (added) await auditCall(db, call, 'membership.added', { domain: domain.id, user: user.id })
    return ended
  })
  notifyRevoked(call, revoked)
}

export const get: Handler<typeof contract.getMember> = async (input, call) => {
  const { user } = await findMember(call, input.domainId, { id: input.userId })
  const [shown] = await showAll(call, [user])
  if (!shown) throw new ApiProblem('api.error.notfound.user')
  return shown
}

export const list: Handler<typeof contract.listMembers> = async (input, call) => {
  const domain = await findDomain(call, input.domainId)
  const page = parsePage(input.page)
  const { rows, link } = cutPage(await listMembers(call.store.db, domain.id, page), page, call.path)
  call.setHeader('Link', link)
  return showAll(call, rows)
}

export const remove: Handler<typeof contract.removeMember> = async (input, call) => {
  const domain = await findDomain(call, input.domainId)
  const revoked = await call.store.db.transaction().execute(async (db) => {
    const user = await memberBy(db, domain.id, { id: input.userId })
    if (!user) throw new ApiProblem('api.error.notfound.user')
    const ended = await leaveDomain(db, { domainId: domain.id, userIds: [user.id] }, call.clock.now())
    await auditRevoked(db, call, ended, call)
    await auditCall(db, call, 'membership.removed', { domain: domain.id, user: user.id })
    return ended
  })
  notifyRevoked(call, revoked)
}

export const synchronize: Handler<typeof contract.synchronizeMembers> = async (input, call) => {
  const domain = await findDomain(call, input.domainId)
  await requireDistinct(input.rows)
  await synchronizeMembers(call, { organizationId: call.organizationId, domainId: domain.id }, input.rows)
}

/** How many names are compared before somebody else has a turn. */
const slice = 5_000

/** Says where, not what. */
async function requireDistinct(rows: readonly { username: string }[]): Promise<void> {
  const positions = new Map<string, number>()
  for (const [position, { username }] of rows.entries()) {
    if (position % slice === 0) await new Promise<void>((resolve) => void setImmediate(resolve))
    const first = positions.get(username)
    if (first !== undefined) {
      const message = `users[${position}].username: the same as users[${first}].username`
      throw new ApiProblem('api.error.invalid.users', message)
    }
    positions.set(username, position)
  }
}
