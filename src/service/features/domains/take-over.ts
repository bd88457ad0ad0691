import type { ServiceContext } from '../../engine/context/service-context.ts'
import { hashApiKey } from '../../engine/http/authenticate.ts'
import { apiKeyByHash } from './api-key-statements.ts'
import { organizationOfDomain } from './statements.ts'
import { RefusalError } from '../../engine/base/errors.ts'

/**
 * Ids and keys that the clients of another service are configured with. A service that takes them over can replace it
 * unnoticed.
 */
export interface TakenOver {
  readonly apiKey?: string | undefined
  readonly domainId?: string | undefined
}

/** @throws {RefusalError} if one of them is already in use here. */
export async function refuseTaken({ store }: ServiceContext, { apiKey, domainId }: TakenOver): Promise<void> {
  if (domainId !== undefined && (await organizationOfDomain(store.db, domainId)) !== '') {
    throw new RefusalError(`A domain with the id ${domainId} already exists.`)
  }
  if (apiKey !== undefined && (await apiKeyByHash(store.db, hashApiKey(apiKey)))) {
    throw new RefusalError('The API key is already in use.')
  }
}
