import type * as contract from '../../../admin-contract/administrators.ts'
import * as administrators from './administration.ts'
import * as invitations from './invitations.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { signedIn } from './call.ts'
import type { ChangeHandler } from './change.ts'
import { concerning } from './concern.ts'

/** One administrator of the caller's organization. */
const named = ({ organizationId }: Call, id: string) => ({ organizationId, id })

export const list: Handler<typeof contract.listAdministrators> = async (_input, call) =>
  concerning(call.store.db, signedIn(call), await administrators.listAdministrators(call, call.organizationId))

export const get: Handler<typeof contract.getAdministrator> = async ({ administratorId }, call) => {
  const found = await administrators.findAdministrator(call, call.organizationId, administratorId)
  const [shown] = await concerning(call.store.db, signedIn(call), [found])
  if (!shown) throw new ApiProblem('api.error.notfound.administrator')
  return shown
}

export const change: ChangeHandler<typeof contract.changeAdministrator> = (input, call, decided) => {
  const { administratorId, role, domains } = input
  const version = expectedVersion(call)
  return decided((inside) =>
    administrators.setAdministratorRole(inside, { ...named(call, administratorId), version }, { role, domains }),
  )
}

export const decideRecord: ChangeHandler<typeof contract.decideAdministratorRecord> = (input, call, decided) =>
  decided((inside) => administrators.decideRecord(inside, named(call, input.administratorId), input))

export const revoke: ChangeHandler<typeof contract.revokeAdministrator> = ({ administratorId }, call, decided) =>
  decided((inside) => administrators.revokeAdministrator(inside, named(call, administratorId)))

export const sessions: Handler<typeof contract.listAdministratorSessions> = ({ administratorId }, call) =>
  administrators.listSessions(call, named(call, administratorId))

export const endSessions: ChangeHandler<typeof contract.endAdministratorSessions> = async (input, call, decided) => {
  await decided((inside) => administrators.endSessions(inside, named(call, input.administratorId)))
}

export const invite: ChangeHandler<typeof contract.inviteAdministrator> = (input, call, decided) =>
  decided((inside) => invitations.invite(inside, call.organizationId, input))

export const listInvitations: Handler<typeof contract.listInvitations> = async (_input, call) =>
  concerning(call.store.db, signedIn(call), await invitations.listInvitations(call, call.organizationId))

export const withdraw: ChangeHandler<typeof contract.withdrawInvitation> = ({ invitationId }, call, decided) =>
  decided((inside) => invitations.withdrawInvitation(inside, named(call, invitationId)))

/** The version in `If-Match`, in quotes. */
function expectedVersion({ http }: Call): number {
  const [, version] = /^"(\d{1,15})"$/.exec(http?.ifMatch ?? '') ?? []
  if (version !== undefined) return Number(version)
  throw new ApiProblem('api.error.precondition', 'If-Match: expected the version of the administrator, in quotes.')
}
