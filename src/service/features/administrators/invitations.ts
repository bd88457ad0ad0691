import type { Invitation } from '../../../admin-contract/administrators.ts'
import { invitationLifetime } from '../../../contract/roles.ts'
import type { AdminRole } from '../../../contract/roles.ts'
import { audit } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { hashSecret, newSecret } from '../../engine/base/secret.ts'
import { newId } from '../../engine/base/random.ts'
import { insertInvitation, openInvitationsOf, removeInvitation } from './invitation-statements.ts'
import type { InvitationRow } from './invitation-statements.ts'
import { userById } from '../users/statements.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import type { Acting } from '../../engine/context/acting.ts'
import { requireDomains } from './administration.ts'

interface Invited {
  readonly name: string
  readonly email: string
  readonly role: AdminRole
  readonly domains: readonly string[]
  readonly user?: string | null | undefined
}

/** Invites a person to become an administrator. @returns the token too, which cannot be read again. */
export async function invite(
  ctx: Acting,
  organizationId: string,
  { name, email, role, domains, user = null }: Invited,
): Promise<Invitation & { readonly token: string }> {
  const token = newSecret(ctx.random)
  const createdAt = ctx.clock.now()
  const row: InvitationRow = {
    id: newId(ctx.random),
    tokenHash: hashSecret(token),
    organizationId,
    name,
    email,
    role,
    userId: user,
    invitedBy: ctx.console?.administrator?.id ?? null,
    domainIds: JSON.stringify([...new Set(domains)]),
    createdAt,
    expiresAt: createdAt + invitationLifetime,
  }
  await inTransaction(ctx.store.db, async (db) => {
    await requireDomains(db, organizationId, domains)
    if (user !== null && !(await userById(db, organizationId, user))) throw new ApiProblem('api.error.notfound.user')
    await insertInvitation(db, row)
    await audit(db, ctx, { event: 'administrator.invited', organizationId, facts: { invitation: row.id, role } })
  })
  return { ...invitationView(row), token }
}

/** Lists the invitations that can still be used, newest first. */
export async function listInvitations({ store, clock }: ServiceContext, organizationId: string): Promise<Invitation[]> {
  return (await openInvitationsOf(store.db, organizationId, clock.now())).map((row) => invitationView(row))
}

/** @throws {ApiProblem} `api.error.notfound.invitation` */
export async function withdrawInvitation(
  ctx: Acting,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Promise<void> {
  await inTransaction(ctx.store.db, async (db) => {
    if (!(await removeInvitation(db, organizationId, id))) throw new ApiProblem('api.error.notfound.invitation')
    await audit(db, ctx, { event: 'administrator.invitation_withdrawn', organizationId, facts: { invitation: id } })
  })
}

export const domainIdsOf = ({ domainIds }: InvitationRow): string[] => JSON.parse(domainIds) as string[]

function invitationView(row: InvitationRow): Invitation {
  const { id, name, email, role, userId: user, createdAt, expiresAt } = row
  return { id, name, email, role, domains: domainIdsOf(row), user, createdAt, expiresAt }
}
