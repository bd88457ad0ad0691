import type { KeyType } from '../../src/contract/pin.ts'
import type { createService } from '../../src/service/service.ts'

/** The facts about a service that the loads need. */
export interface ServiceGiven {
  readonly url: string
  readonly apiKey: string
  readonly domainId: string
  readonly database: string
}

/** The key that each service of the benchmark encrypts with. */
export const keys = `bench:${Buffer.alloc(32, 7).toString('base64')}`

type Service = Awaited<ReturnType<typeof createService>>

/** Creates an organization with a domain and an API key. @param keyType The secret that devices of the domain ask for. */
export async function prepareDomain({ administration }: Service, keyType: KeyType = 'NONE') {
  const organization = await administration.createOrganization(`Benchmark ${process.pid}`)
  const { id: domainId } = await administration.createDomain(organization.id, { name: 'Benchmark', keyType })
  return { organizationId: organization.id, domainId, apiKey: await administration.createApiKey(organization.id) }
}
