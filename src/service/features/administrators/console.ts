import type * as contract from '../../../admin-contract/administrators.ts'
import * as administrators from './administration.ts'
import * as invitations from './invitations.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { signedIn } from './call.ts'
import type { ChangeHandler } from './change.ts'
import { concerning } from './concern.ts'

/** One administrator of the caller's organization. */
const domainById = ({ organizationId }: Call, id: string) => ({ organizationId, id })

export const list: Handler<typeof contract.listAdministrators> = async (_input, call) =>
  concerning(call.store.db, signedIn(call), await administrators.listAdministrators(call, call.organizationId))

export const get: Handler<typeof contract.getAdministrator> = async ({ administratorId }, call) => {
  const row = await administrators.findAdministrator(call, call.organizationId, administratorId)
  const [view] = await concerning(call.store.db, signedIn(call), [row])
  if (!view) throw new ApiProblem('api.error.notfound.administrator')
  return view
}

export const change: ChangeHandler<typeof contract.changeAdministrator> = (input, call, decided) => {
  const { administratorId, role, domains } = input
  const version = expectedVersion(call)
  return decided((inside) =>
    administrators.setAdministratorRole(inside, { ...domainById(call, administratorId), version }, { role, domains }),
  )
}

export const decideRecord: ChangeHandler<typeof contract.decideAdministratorRecord> = (input, call, decided) =>
  decided((inside) => administrators.decideRecord(inside, domainById(call, input.administratorId), input))

export const revoke: ChangeHandler<typeof contract.revokeAdministrator> = ({ administratorId }, call, decided) =>
  decided((inside) => administrators.revokeAdministrator(inside, domainById(call, administratorId)))

export const sessions: Handler<typeof contract.listAdministratorSessions> = ({ administratorId }, call) =>
  administrators.listSessions(call, domainById(call, administratorId))

export const endSessions: ChangeHandler<typeof contract.endAdministratorSessions> = async (input, call, decided) => {
  await decided((inside) => administrators.endSessions(inside, domainById(call, input.administratorId)))
}

export const invite: ChangeHandler<typeof contract.inviteAdministrator> = (input, call, decided) =>
  decided((inside) => invitations.invite(inside, call.organizationId, input))

export const listInvitations: Handler<typeof contract.listInvitations> = async (_input, call) =>
  concerning(call.store.db, signedIn(call), await invitations.listInvitations(call, call.organizationId))

export const withdraw: ChangeHandler<typeof contract.withdrawInvitation> = ({ invitationId }, call, decided) =>
  decided((inside) => invitations.withdrawInvitation(inside, domainById(call, invitationId)))

/** The version in `If-Match`, in quotes. */
function expectedVersion({ http }: Call): number {
  const [, version] = /^"(\d{1,15})"$/.exec(http?.ifMatch ?? '') ?? []
  if (version !== undefined) return Number(version)
  throw new ApiProblem('api.error.precondition', 'If-Match: expected the version of the administrator, in quotes.')
}
