import type { Domain } from '../contract/domains.ts'
import { addApiKey, listApiKeys, revokeApiKey } from './features/domains/api-keys.ts'
import type { ApiKey, NewApiKey } from './features/domains/api-keys.ts'
import { removeDomainImage, setDomainImage } from './features/domains/images.ts'
import { addDomain, changeDomain, listDomains } from './features/domains/administration.ts'
import type { DomainChanges, NewDomain } from './features/domains/administration.ts'
import { NameTakenError } from './engine/base/errors.ts'
import { audit } from './engine/audit/audit.ts'
import type { ServiceContext } from './engine/context/service-context.ts'
import { Title } from '../contract/title.ts'
import { parseOptions } from '../contract/validate.ts'
import { newId } from './engine/base/random.ts'
import { insertOrganization, organizationById, organizations } from './features/domains/organization-statements.ts'

/**
 * Administration beyond the REST interface.
 * @throws {TypeError} if a value is invalid; RangeError if the organization or domain does not exist.
 */
export interface Administration {
  /** @throws {NameTakenError} */
  createOrganization(name: string): Promise<{ id: string; name: string }>
  organizations(): Promise<{ id: string; name: string }[]>
  /** @throws {NameTakenError} */
  createDomain(organizationId: string, domain: NewDomain): Promise<Domain>
  domains(organizationId: string): Promise<Domain[]>
  /** @throws {NameTakenError} @throws {RefusalError} */
  setDomain(organizationId: string, domainId: string, changes: DomainChanges): Promise<Domain>
  /** @param png At most 256 KiB and 1024 x 1024 pixels. @throws {RefusalError} */
  setDomainImage(organizationId: string, domainId: string, png: Uint8Array): Promise<void>
  removeDomainImage(organizationId: string, domainId: string): Promise<boolean>
  /** @returns the key, which cannot be read again. */
  createApiKey(organizationId: string, key?: NewApiKey): Promise<string>
  apiKeys(organizationId: string): Promise<ApiKey[]>
  revokeApiKey(organizationId: string, id: string): Promise<boolean>
}

export function createAdministration(ctx: ServiceContext): Administration {
  const { db } = ctx.store
  const needOrganization = async (id: string) => {
    if (!(await organizationById(db, id))) throw new RangeError('organizationId: no such organization')
  }
  return {
    async createOrganization(organizationName) {
      const name = parseOptions(Title, 'createOrganization', organizationName)
      const id = newId(ctx.random)
      const inserted = await db.transaction().execute(async (tx) => {
        const done = await insertOrganization(tx, { id, name, createdAt: ctx.clock.now() })
        if (done) await audit(tx, ctx, { event: 'organization.created', organizationId: id, facts: {} })
        return done
      })
      if (!inserted) throw new NameTakenError(`An organization named "${name}" already exists.`)
      return { id, name }
    },
    async organizations() {
      return (await organizations(db)).map(({ id, name }) => ({ id, name }))
    },
    async createDomain(organizationId, domain) {
      await needOrganization(organizationId)
      return addDomain(ctx, organizationId, domain)
    },
    domains: (organizationId) => listDomains(ctx, organizationId),
    setDomain: (organizationId, domainId, changes) => changeDomain(ctx, organizationId, domainId, changes),
    setDomainImage: (organizationId, domainId, png) => setDomainImage(ctx, organizationId, domainId, png),
    removeDomainImage: (organizationId, domainId) => removeDomainImage(ctx, organizationId, domainId),
    async createApiKey(organizationId, key = {}) {
      await needOrganization(organizationId)
      return (await addApiKey(ctx, organizationId, key)).key
    },
    apiKeys: (organizationId) => listApiKeys(ctx, organizationId),
    revokeApiKey: (organizationId, id) => revokeApiKey(ctx, organizationId, id),
  }
}
