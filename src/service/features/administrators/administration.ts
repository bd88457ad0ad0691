import type {
  Administrator,
  AdministratorSession,
  ChangedAdministrator,
} from '../../../admin-contract/administrators.ts'
import { audit } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { hasEnded, isSamePerson } from './rules.ts'
import { denyRecord, linkRecord, namesakesOf } from './namesake-statements.ts'
import { removeAdministratorSessions, sessionsOfAdministrator } from './session-statements.ts'
import {
  administratorById,
  administratorsOf,
  changeAdministrator,
  domainsOfAdministrators,
  endAdministrator,
} from './statements.ts'
import type { AdministratorRow } from './statements.ts'
import { domainById } from '../domains/statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import { userById } from '../users/statements.ts'
import type { Acting } from '../../engine/context/acting.ts'

/** Lists administrators: those with access first, and the oldest first. */
export async function listAdministrators({ store }: ServiceContext, organizationId: string): Promise<Administrator[]> {
  const rows = await administratorsOf(store.db, organizationId)
  const views = await viewsOf(store.db, rows)
  return views.toSorted((a, b) => Number(a.revokedAt !== null) - Number(b.revokedAt !== null))
}

/** @throws {ApiProblem} `api.error.notfound.administrator` */
export async function findAdministrator(
  { store }: Pick<ServiceContext, 'store'>,
  organizationId: string,
  id: string,
): Promise<Administrator> {
  const [view] = await viewsOf(store.db, [await load(store.db, organizationId, id)])
  if (!view) throw notFound()
  return view
}

/** @param version The version that the caller has seen; undefined at the command line. */
export async function setAdministratorRole(
  ctx: Acting,
  { organizationId, id, version }: { organizationId: string; id: string; version?: number | undefined },
  { role, domains = [] }: ChangedAdministrator,
): Promise<Administrator> {
  await inTransaction(ctx.store.db, async (db) => {
    const before = await load(db, organizationId, id)
    if (before.revokedAt !== null) throw revokedAlready()
    if (version !== undefined && version !== before.version) throw changedMeanwhile(before)
    await requireDomains(db, organizationId, domains)
    await changeAdministrator(db, { id, version: before.version, role, domainIds: [...new Set(domains)] })
    const fields = before.role === role ? 'domains' : 'role,domains'
    await audit(db, ctx, {
      event: 'administrator.changed',
      organizationId,
      facts: { administrator: id, role, fields },
    })
  })
  return findAdministrator(ctx, organizationId, id)
}

/** Says whether a user is the administrator, or somebody else who may have the same e-mail address. */
export async function decideRecord(
  ctx: Acting,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
  { user: userId, own }: { readonly user: string; readonly own: boolean },
): Promise<Administrator> {
  await inTransaction(ctx.store.db, async (db) => {
    const administrator = await load(db, organizationId, id)
    if (administrator.revokedAt !== null) throw revokedAlready()
    requireAnother(ctx, administrator)
    if (!(await userById(db, organizationId, userId))) throw new ApiProblem('api.error.notfound.user')
    await (own ? linkRecord : denyRecord)(db, { administratorId: id, userId })
    const facts = { administrator: id, user: userId }
    await audit(db, ctx, {
      event: own ? 'administrator.record_linked' : 'administrator.record_denied',
      organizationId,
      facts,
    })
  })
  return findAdministrator(ctx, organizationId, id)
}

/** A second account of the same person cannot decide either. At the command line, the machine's access control decides. */
function requireAnother({ console }: Acting, administrator: AdministratorRow): void {
  const owner = console?.administrator
  if (owner && isSamePerson(owner, administrator)) throw new ApiProblem('api.error.forbidden.own')
}

/** Ends the access at once: no session of the administrator outlives the transaction. */
export async function revokeAdministrator(
  ctx: Acting,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<void> {
  await inTransaction(ctx.store.db, async (db) => {
    await load(db, organizationId, id)
    if (!(await endAdministrator(db, id, ctx.clock.now()))) throw revokedAlready()
    await audit(db, ctx, { event: 'administrator.revoked', organizationId, facts: { administrator: id } })
  })
}

/** Newest first, without those that have ended. */
export async function listSessions(
  { store, clock }: ServiceContext,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<AdministratorSession[]> {
  await load(store.db, organizationId, id)
  const rows = await sessionsOfAdministrator(store.db, id)
  return rows
    .filter(({ createdAt, usedAt }) => !hasEnded({ signedInAt: createdAt, usedAt }, clock.now()))
    .map(({ hash, createdAt, usedAt, passedAt }) => ({ id: hash.slice(0, 12), createdAt, usedAt, passedAt }))
}

/** @returns the number of sessions that were ended. */
export function endSessions(
  ctx: Acting,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<number> {
  return inTransaction(ctx.store.db, async (db) => {
    await load(db, organizationId, id)
    const { length: count } = await removeAdministratorSessions(db, id)
    await audit(db, ctx, {
      event: 'administrator.sessions_ended',
      organizationId,
      facts: { administrator: id, count },
    })
    return count
  })
}

/** @throws {ApiProblem} `api.error.notfound.domain` unless the organization has all of them. */
export async function requireDomains(db: Queryable, organizationId: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    if (!(await domainById(db, organizationId, id))) throw new ApiProblem('api.error.notfound.domain')
  }
}

async function load(db: Queryable, organizationId: string, id: string): Promise<AdministratorRow> {
  const row = await administratorById(db, id)
  if (row?.organizationId !== organizationId) throw notFound()
  return row
}

async function viewsOf(db: Queryable, rows: readonly AdministratorRow[]): Promise<Administrator[]> {
  const ids = rows.map(({ id }) => id)
  const domains = await domainsOfAdministrators(db, ids)
  const namesakes = Map.groupBy(await namesakesOf(db, ids), ({ administratorId }) => administratorId)
  const byAdministrator = Map.groupBy(domains, ({ administratorId }) => administratorId)
  return rows.map(({ id, name, email, role, userId, createdAt, lastSeenAt, revokedAt, version }) => ({
    id,
    name,
    email,
    role,
    user: userId,
    createdAt,
    lastSeenAt,
    revokedAt,
    version,
    namesakes: (namesakes.get(id) ?? []).map((each) => each.userId),
    domains: (byAdministrator.get(id) ?? []).map(({ domainId }) => domainId),
  }))
}

const notFound = () => new ApiProblem('api.error.notfound.administrator')

const revokedAlready = () => new ApiProblem('api.error.conflict.state', 'The access of the administrator was revoked.')

const changedMeanwhile = ({ role, version }: AdministratorRow) =>
  new ApiProblem(
    'api.error.precondition',
    `If-Match: the administrator was changed meanwhile: role ${role}, version ${version}. Read it again.`,
  )
