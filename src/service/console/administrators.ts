import type * as contract from '../../contract/admin/administrators.ts'
import * as administrators from '../admin/administrators.ts'
import * as invitations from '../admin/invitations.ts'
import { ApiProblem } from '../ground/problem.ts'
import type { Call, Handler } from '../http/route.ts'
import type { ChangeHandler } from './change.ts'

/** One administrator of the caller's organization. */
const named = ({ organizationId }: Call, id: string) => ({ organizationId, id })

export const list: Handler<typeof contract.listAdministrators> = (_input, call) =>
  administrators.listAdministrators(call, call.organizationId)

export const get: Handler<typeof contract.getAdministrator> = ({ administratorId }, call) =>
  administrators.findAdministrator(call, call.organizationId, administratorId)

export const change: ChangeHandler<typeof contract.changeAdministrator> = (input, call, decided) => {
  const { administratorId, role, domains } = input
  const version = expectedVersion(call)
  return decided((inside) =>
    administrators.setAdministratorRole(inside, { ...named(call, administratorId), version }, { role, domains }),
  )
}

export const revoke: ChangeHandler<typeof contract.revokeAdministrator> = ({ administratorId }, call, decided) =>
  decided((inside) => administrators.revokeAdministrator(inside, named(call, administratorId)))

export const sessions: Handler<typeof contract.listAdministratorSessions> = ({ administratorId }, call) =>
  administrators.listSessions(call, named(call, administratorId))

export const endSessions: ChangeHandler<typeof contract.endAdministratorSessions> = async (input, call, decided) => {
  await decided((inside) => administrators.endSessions(inside, named(call, input.administratorId)))
}

export const invite: ChangeHandler<typeof contract.inviteAdministrator> = (input, call, decided) =>
  decided((inside) => invitations.invite(inside, call.organizationId, input))

export const listInvitations: Handler<typeof contract.listInvitations> = (_input, call) =>
  invitations.listInvitations(call, call.organizationId)

export const withdraw: ChangeHandler<typeof contract.withdrawInvitation> = ({ invitationId }, call, decided) =>
  decided((inside) => invitations.withdrawInvitation(inside, named(call, invitationId)))

/** The version in `If-Match`, in quotes. */
function expectedVersion({ http }: Call): number {
  const [, version] = /^"(\d{1,15})"$/.exec(http?.ifMatch ?? '') ?? []
  if (version !== undefined) return Number(version)
  throw new ApiProblem('api.error.precondition', 'If-Match: expected the version of the administrator, in quotes.')
}
