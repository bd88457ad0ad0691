import type * as contract from '../../contract/domains.ts'
import { cutPage, parsePage } from '../http/paging.ts'
import type { Handler } from '../http/route.ts'
import { ApiProblem } from '../problem.ts'
import { removeEmailCodes } from '../store/email-codes.ts'
import { insertMember, listMembers, memberBy, removeMember } from '../store/members.ts'
import { revokeTokens } from '../store/tokens.ts'
import { userById } from '../store/users.ts'
import { findDomain, findMember } from './find.ts'
import { notifyRevoked } from './notify.ts'
import { showAll } from './users.ts'

export const add: Handler<typeof contract.addMember> = async (input, call) => {
  const domain = await findDomain(call, input.domainId)
  await call.store.db.transaction().execute(async (db) => {
    // Inside, so that a user who is being deleted does not come back as a membership of nobody.
    const user = await userById(db, call.organizationId, input.userId)
    if (!user) throw new ApiProblem('api.error.notfound.user')
    await insertMember(db, domain.id, user.id)
  })
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
    const ended = await revokeTokens(db, { userId: user.id, domainId: domain.id }, call.clock.now())
    await removeEmailCodes(db, { userId: user.id, domainId: domain.id })
    await removeMember(db, user.id, domain.id)
    return ended
  })
  notifyRevoked(call, revoked)
}
