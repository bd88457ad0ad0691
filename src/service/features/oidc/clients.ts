import type { z } from 'zod'

import { usesSecret } from '../../../admin-contract/oidc-client-rules.ts'
import { NewOidcClient, OidcClientChanges, clientProblem } from '../../../admin-contract/oidc-client-settings.ts'
import type { OidcClient } from '../../../admin-contract/oidc-clients.ts'
import { parseOptions } from '../../../contract/validate.ts'
import { audit } from '../../engine/audit/audit.ts'
import { RefusalError } from '../../engine/base/errors.ts'
import { newId } from '../../engine/base/random.ts'
import type { Acting } from '../../engine/context/acting.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import { domainById } from '../domains/statements.ts'
import { endArtifactsOfClient } from './artifact-statements.ts'
import { hashClientSecret, newClientSecret } from './client-secrets.ts'
import {
  deleteOidcClient,
  insertOidcClient,
  oidcClientById,
  oidcClientsOfDomain,
  oidcClientsOfOrganization,
  updateOidcClient,
} from './client-statements.ts'
import type { OidcClientRow } from './client-statements.ts'
import { settingNames } from './client-columns.ts'
import { clientView, columnsOf, settingsOf } from './client-view.ts'
import type { OidcClientSettings } from './client-view.ts'

/** The clients that a domain can have. */
const maxClients = 100

/** The client that a call is about. */
export interface ClientKey {
  readonly organizationId: string
  readonly domainId: string
  readonly id: string
}

/** Checks in the transaction whether a client may be changed, as it is. Throws if not. */
type Accept = (db: Queryable, client: OidcClientRow) => Promise<void>

/** A client with the secret that was made for it; undefined where it authenticates otherwise. */
export interface WithSecret {
  readonly client: OidcClient
  /** It cannot be read again. */
  readonly secret: string | undefined
}

/**
 * Registers a client.
 * @throws {RangeError} if the organization has no such domain.
 * @throws {RefusalError} if the domain has as many clients as it can have.
 */
export async function addOidcClient(
  ctx: Acting,
  { organizationId, domainId }: Omit<ClientKey, 'id'>,
  input: NewOidcClient,
): Promise<WithSecret> {
  const { kind, ...settings } = parseOptions(NewOidcClient, 'createOidcClient', input)
  const secret = usesSecret(settings.authentication) ? newClientSecret(ctx.random) : undefined
  const row = {
    id: newId(ctx.random),
    domainId,
    kind,
    createdAt: ctx.clock.now(),
    ...columnsOf(settings),
    secretHash: secret === undefined ? null : hashClientSecret(secret),
    formerSecretHash: null,
    formerSecretUntil: null,
  }
  await inTransaction(ctx.store.db, async (db) => {
    if (!(await domainById(db, organizationId, domainId))) throw new RangeError('domainId: no such domain')
    if ((await oidcClientsOfDomain(db, domainId)).length >= maxClients) {
      throw new RefusalError(
        `A domain can have ${maxClients} OpenID Connect clients. Remove one that is no longer used.`,
      )
    }
    await insertOidcClient(db, row)
    await audit(db, ctx, { event: 'oidc.client_added', organizationId, facts: factsOf(row) })
  })
  return { client: clientView({ ...row, version: 1 }, row.createdAt), secret }
}

/** Oldest first. */
export async function listOidcClients(
  { store, clock }: Pick<ServiceContext, 'store' | 'clock'>,
  domainId: string,
): Promise<OidcClient[]> {
  return (await oidcClientsOfDomain(store.db, domainId)).map((row) => clientView(row, clock.now()))
}

/** The clients of all domains, sorted by the name of the domain. */
export async function allOidcClients(
  { store, clock }: Pick<ServiceContext, 'store' | 'clock'>,
  organizationId: string,
): Promise<OidcClient[]> {
  return (await oidcClientsOfOrganization(store.db, organizationId)).map((row) => clientView(row, clock.now()))
}

/** Finds a client in whatever domain it is. */
export async function findOidcClient(
  { store, clock }: Pick<ServiceContext, 'store' | 'clock'>,
  id: string,
): Promise<OidcClient | undefined> {
  const row = await oidcClientById(store.db, id)
  return row && clientView(row, clock.now())
}

/**
 * Changes a client. What it has been issued ends, unless only its name changes: an address that was removed may still be in a sign-in
 * that has begun.
 *
 * @returns undefined if there is no such client.
 * @throws {RefusalError} if the parts of the client would contradict each other.
 */
export function changeOidcClient(
  ctx: Acting,
  key: ClientKey,
  input: OidcClientChanges,
  accept: Accept = () => Promise.resolve(),
): Promise<OidcClient | undefined> {
  const changes = parseOptions(OidcClientChanges, 'setOidcClient', input)
  return inTransaction(ctx.store.db, async (db) => {
    const before = await load(db, key)
    if (!before) return undefined
    await accept(db, before)
    const settings = { ...settingsOf(before), ...withoutAbsent(changes) }
    const problem = clientProblem({ kind: before.kind, ...settings })
    if (problem !== undefined) throw new RefusalError(problem)
    const withoutSecret = usesSecret(settings.authentication)
      ? {}
      : { secretHash: null, formerSecretHash: null, formerSecretUntil: null }
    const after = { ...before, ...columnsOf(settings), ...withoutSecret }
    // Settings that are newer than the row have their defaults.
    const fields = changedFields(columnsOf(settingsOf(before)), after)
    if (fields.length === 0) return clientView(before, ctx.clock.now())
    await save(db, after)
    if (fields.some((field) => field !== 'name')) await endArtifactsOfClient(db, before.id)
    const facts = { ...factsOf(before), fields: fields.join(',') }
    await audit(db, ctx, { event: 'oidc.client_changed', organizationId: key.organizationId, facts })
    return clientView({ ...after, version: before.version + 1 }, ctx.clock.now())
  })
}

/**
 * Replaces the secret of a client. The one before the present one ends, also if it was still accepted.
 *
 * @param overlap For how long the present one is accepted as well, seconds.
 * @returns undefined if there is no such client.
 * @throws {RefusalError} if the client authenticates without a secret.
 */
export function rotateOidcSecret(
  ctx: Acting,
  key: ClientKey,
  overlap: number,
  accept: Accept = () => Promise.resolve(),
): Promise<WithSecret | undefined> {
  const secret = newClientSecret(ctx.random)
  return inTransaction(ctx.store.db, async (db) => {
    const before = await load(db, key)
    if (!before) return undefined
    await accept(db, before)
    if (!usesSecret(before.authentication)) {
      throw new RefusalError(`The client authenticates by ${before.authentication}, and has no secret.`)
    }
    const now = ctx.clock.now()
    const former = overlap > 0 && before.secretHash !== null
    const after = {
      ...before,
      secretHash: hashClientSecret(secret),
      formerSecretHash: former ? before.secretHash : null,
      formerSecretUntil: former ? now + overlap : null,
    }
    await save(db, after)
    await audit(db, ctx, {
      event: 'oidc.client_secret_rotated',
      organizationId: key.organizationId,
      facts: factsOf(key),
    })
    return { client: clientView({ ...after, version: before.version + 1 }, now), secret }
  })
}

/** Removes a client with all that it has been issued. @returns false if there is no such client. */
export function removeOidcClient(ctx: Acting, key: ClientKey): Promise<boolean> {
  return inTransaction(ctx.store.db, async (db) => {
    if (!(await load(db, key))) return false
    await forgetOidcClient(db, key.id)
    await audit(db, ctx, { event: 'oidc.client_removed', organizationId: key.organizationId, facts: factsOf(key) })
    return true
  })
}

/** @returns false where there is no such client. */
export async function forgetOidcClient(db: Queryable, id: string): Promise<boolean> {
  await endArtifactsOfClient(db, id)
  return deleteOidcClient(db, id)
}

async function load(db: Queryable, { organizationId, domainId, id }: ClientKey): Promise<OidcClientRow | undefined> {
  const row = await oidcClientById(db, id)
  if (row?.domainId !== domainId || !(await domainById(db, organizationId, domainId))) return undefined
  return row
}

async function save(db: Queryable, row: OidcClientRow): Promise<void> {
  if (!(await updateOidcClient(db, row))) throw new Error('The client was changed at the same time.')
}

/** Absent settings stay, also where they are named. */
function withoutAbsent(changes: z.output<typeof OidcClientChanges>): Partial<OidcClientSettings> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}

type Columns = ReturnType<typeof columnsOf>

function changedFields(before: Columns, after: Columns): (keyof Columns)[] {
  return settingNames.filter((name) => before[name] !== after[name])
}

const factsOf = ({ id, domainId }: Pick<ClientKey, 'id' | 'domainId'>) => ({ client: id, domain: domainId })
