import type * as contract from '../../../admin-contract/oidc-provider.ts'
import type { OidcProvider } from '../../../admin-contract/oidc-provider.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { organizations } from '../domains/organization-statements.ts'
import { allOidcClients } from '../oidc/clients.ts'
import { listSigningKeys, makeSigningKey, replaceSigningKeys, rotateSigningKey } from '../oidc/keys.ts'
import { consoleOf, signedIn } from './call.ts'
import type { ChangeHandler } from './change.ts'
import { domainsFor } from './scope.ts'

export const get: Handler<typeof contract.getOidcProvider> = (_input, call) => show(call)

export const clients: Handler<typeof contract.listEveryOidcClient> = async ({ domain }, call) => {
  const limited = await domainsFor(call, domain)
  const every = await allOidcClients(call, call.organizationId)
  return limited === null ? every : every.filter((client) => limited.includes(client.domain))
}

export const rotate: ChangeHandler<typeof contract.rotateOidcKeys> = async (_input, outside, change) => {
  // Making a key takes longer than other changes may wait.
  const made = await makeSigningKey(outside)
  await change(async (call) => {
    await requireOneOrganization(call.store.db)
    await rotateSigningKey(call, made, call.organizationId)
  })
  return show(outside)
}

export const replace: ChangeHandler<typeof contract.replaceOidcKeys> = async (_input, outside, change) => {
  const made = await makeSigningKey(outside)
  await change(async (call) => {
    await requireOneOrganization(call.store.db)
    await replaceSigningKeys(call, made, call.organizationId)
  })
  return show(outside)
}

async function show(call: Call): Promise<OidcProvider> {
  const { role, domainIds } = signedIn(call)
  return {
    issuer: consoleOf(call).openIdIssuer?.() ?? null,
    keys: [...(await listSigningKeys(call))],
    changesKeys: role === 'owner' && domainIds === null && (await isOnlyOrganization(call.store.db)),
  }
}

/** All organizations of a service have the same signing keys: an owner of one of them must not end those of the others. */
async function requireOneOrganization(db: Queryable): Promise<void> {
  if (await isOnlyOrganization(db)) return
  throw new ApiProblem(
    'api.error.conflict.state',
    'The service has several organizations, which share the signing keys: use `second-factor oidc keys rotate`.',
  )
}

const isOnlyOrganization = async (db: Queryable): Promise<boolean> => (await organizations(db)).length === 1
