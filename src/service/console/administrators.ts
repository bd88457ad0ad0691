import type * as contract from '../../contract/admin/administrators.ts'
import * as administrators from '../admin/administrators.ts'
import * as invitations from '../admin/invitations.ts'
import { ApiProblem } from '../ground/problem.ts'
import type { Call, Handler } from '../http/route.ts'

/** One administrator of the caller's organization. */
const named = ({ organizationId }: Call, id: string) => ({ organizationId, id })

export const list: Handler<typeof contract.listAdministrators> = (_input, call) =>
  administrators.listAdministrators(call, call.organizationId)

export const get: Handler<typeof contract.getAdministrator> = ({ administratorId }, call) =>
  administrators.findAdministrator(call, call.organizationId, administratorId)

export const change: Handler<typeof contract.changeAdministrator> = ({ administratorId, role, domains }, call) => {
  const version = expectedVersion(call)
  return administrators.setAdministratorRole(call, { ...named(call, administratorId), version }, { role, domains })
}

export const revoke: Handler<typeof contract.revokeAdministrator> = ({ administratorId }, call) =>
  administrators.revokeAdministrator(call, named(call, administratorId))

export const sessions: Handler<typeof contract.listAdministratorSessions> = ({ administratorId }, call) =>
  administrators.listSessions(call, named(call, administratorId))

export const endSessions: Handler<typeof contract.endAdministratorSessions> = async ({ administratorId }, call) => {
  await administrators.endSessions(call, named(call, administratorId))
}

export const invite: Handler<typeof contract.inviteAdministrator> = (input, call) =>
  invitations.invite(call, call.organizationId, input)

export const listInvitations: Handler<typeof contract.listInvitations> = (_input, call) =>
  invitations.listInvitations(call, call.organizationId)

export const withdraw: Handler<typeof contract.withdrawInvitation> = ({ invitationId }, call) =>
  invitations.withdrawInvitation(call, named(call, invitationId))

/** The version in `If-Match`, in quotes. */
function expectedVersion({ http }: Call): number {
  const [, version] = /^"(\d{1,15})"$/.exec(http?.ifMatch ?? '') ?? []
  if (version !== undefined) return Number(version)
  throw new ApiProblem('api.error.precondition', 'If-Match: expected the version of the administrator, in quotes.')
}
