import type * as contract from '../../contract/users.ts'
import { auditCall } from '../audit/audit.ts'
import type { Handler } from '../http/route.ts'
import { ApiProblem } from '../ground/problem.ts'
import { endOtherSessions, epochOfUser } from '../store/epochs.ts'
import { findMember } from './find.ts'

export const endSessions: Handler<typeof contract.endUserSessions> = async (input, call) => {
  const { user } = await findMember(call, input.domainId, { id: input.userId })
  const epoch = await call.store.db.transaction().execute(async (db) => {
    await endOtherSessions(db, [user.id], input.epoch)
    await auditCall(db, call, 'user.sessions_ended', { user: user.id })
    return epochOfUser(db, user.id)
  })
  if (epoch === undefined) throw new ApiProblem('api.error.notfound.user')
  return { epoch }
}
