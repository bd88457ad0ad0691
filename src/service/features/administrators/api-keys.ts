import type * as contract from '../../../admin-contract/domains.ts'
import type { ApiKey as ShownKey } from '../../../admin-contract/domains.ts'
import { addApiKey, listApiKeys, revokeApiKey } from '../domains/api-keys.ts'
import type { ApiKey } from '../domains/api-keys.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Handler } from '../../engine/http/route.ts'
import { domainById } from '../domains/statements.ts'
import { signedIn } from './call.ts'
import type { ChangeHandler } from './change.ts'

/** An auditor of some domains sees the keys of these domains alone. */
export const list: Handler<typeof contract.listAdminApiKeys> = async (_input, call) => {
  const { domainIds } = signedIn(call)
  const keys = await listApiKeys(call, call.organizationId)
  const isVisible = ({ domainId }: ApiKey) => domainIds === null || (domainId !== null && domainIds.includes(domainId))
  return keys.filter((key) => isVisible(key)).map((key) => shownKey(key))
}

export const create: ChangeHandler<typeof contract.createAdminApiKey> = ({ role, domain }, _call, change) =>
  change(async (call) => {
    const domainId = domain ?? undefined
    if (domainId !== undefined && !(await domainById(call.store.db, call.organizationId, domainId)))
      throw new ApiProblem('api.error.notfound.domain')
    const { key, ...created } = await addApiKey(call, call.organizationId, { role, domainId })
    return { ...shownKey(created), key }
  })

export const revoke: ChangeHandler<typeof contract.revokeAdminApiKey> = ({ apiKeyId }, _call, change) =>
  change(async (call) => {
    if (!(await revokeApiKey(call, call.organizationId, apiKeyId))) throw new ApiProblem('api.error.notfound.apikey')
  })

const shownKey = ({ domainId, ...key }: ApiKey): ShownKey => ({ ...key, domain: domainId })
