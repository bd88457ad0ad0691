import { z } from 'zod'

import { NumberMatching } from '../contract/domains.ts'
import type { ServiceContext } from './context.ts'
import { hashApiKey } from './http/authenticate.ts'
import { parseOptions } from './options.ts'
import { newId, randomText } from './rules/random.ts'
import { domainById, domainByName, insertDomain } from './store/domains.ts'
import { insertApiKey, insertOrganization, organizationById, organizationByName } from './store/organizations.ts'

/** What an administrator does beside the REST interface. */
export interface Administration {
  /** @throws {NameTakenError} */
  createOrganization(name: string): Promise<{ id: string; name: string }>
  /** @throws {NameTakenError} */
  createDomain(organizationId: string, domain: NewDomain): Promise<{ id: string; name: string }>
  /** @returns the key: the only time it can be read. */
  createApiKey(organizationId: string, key?: NewApiKey): Promise<string>
}

/** The organization, or the domain within it, exists already. */
export class NameTakenError extends Error {
  override readonly name = 'NameTakenError'
}

const Title = z.string().trim().min(1).max(128)

const NewDomain = z.strictObject({
  name: Title,
  type: z.enum(['RADIUS', 'WEB', 'PAM', 'OTHER']).default('WEB'),
  /** Devices do not ask for PINs yet. */
  keyType: z.literal('NONE').default('NONE'),
  /** Lifetime of a session, seconds. */
  requestTimeout: z.int().min(10).max(600).default(90),
  /** Lifetime of an activation code, days. */
  activationCodeExpiration: z.int().min(1).max(365).default(7),
  numberMatching: NumberMatching.default('offered'),
})
export type NewDomain = z.input<typeof NewDomain>

const NewApiKey = z
  .strictObject({
    /** `auth`: sessions and reads only. */
    role: z.enum(['admin', 'auth']).default('admin'),
    /** The only domain it is good for. */
    domainId: z.string().optional(),
  })
  // Users are the organization's: who may change them in one domain changes them in all.
  .refine(
    (key) => key.role === 'auth' || key.domainId === undefined,
    'only keys of role auth can be limited to a domain',
  )
export type NewApiKey = z.input<typeof NewApiKey>

const apiKeyAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const apiKeyLength = 64

export const newApiKey = (ctx: Pick<ServiceContext, 'random'>): string =>
  randomText(ctx.random, apiKeyAlphabet, apiKeyLength)

export function createAdministration(ctx: ServiceContext): Administration {
  const { db } = ctx.store
  const needOrganization = async (id: string) => {
    if (!(await organizationById(db, id))) throw new RangeError('organizationId: there is no such organization')
  }
  return {
    async createOrganization(given) {
      const name = parseOptions(Title, 'createOrganization', given)
      const id = newId(ctx.random)
      const inserted = await insertOrganization(db, { id, name, createdAt: ctx.clock.now() })
      if (!inserted) throw new NameTakenError(`There is an organization "${name}" already.`)
      return { id, name }
    },

    async createDomain(organizationId, given) {
      const options = parseOptions(NewDomain, 'createDomain', given)
      await needOrganization(organizationId)
      const id = newId(ctx.random)
      const inserted = await insertDomain(db, {
        ...options,
        ...unsupported,
        id,
        organizationId,
        createdAt: ctx.clock.now(),
      })
      if (!inserted) throw new NameTakenError(`There is a domain "${options.name}" already.`)
      return { id, name: options.name }
    },

    async createApiKey(organizationId, given = {}) {
      const { role, domainId = null } = parseOptions(NewApiKey, 'createApiKey', given)
      await needOrganization(organizationId)
      if (domainId !== null && !(await domainById(db, organizationId, domainId))) {
        throw new RangeError('domainId: there is no such domain')
      }
      const key = newApiKey(ctx)
      const createdAt = ctx.clock.now()
      const id = newId(ctx.random)
      await insertApiKey(db, { id, organizationId, hash: hashApiKey(key), role, domainId, createdAt })
      return key
    },
  }
}

/** Rules of factors that are not there yet. */
const unsupported = {
  maxAllowedRetries: 5,
  requestPollingEnabled: 1,
  bypassEnabled: 0,
  emailOtpEnabled: 0,
} as const

/** The organization and its domain of these names, made where they are missing; processes may do so at once. */
export async function ensureDomain(
  ctx: ServiceContext,
  names: { organization: string; domain: string },
): Promise<{ organizationId: string; domainId: string }> {
  const { db } = ctx.store
  const administration = createAdministration(ctx)
  const organization =
    (await organizationByName(db, names.organization)) ??
    (await unlessTaken(administration.createOrganization(names.organization))) ??
    (await organizationByName(db, names.organization))
  if (!organization) throw new Error('The organization could not be made.')
  const domain =
    (await domainByName(db, organization.id, names.domain)) ??
    (await unlessTaken(administration.createDomain(organization.id, { name: names.domain }))) ??
    (await domainByName(db, organization.id, names.domain))
  if (!domain) throw new Error('The domain could not be made.')
  return { organizationId: organization.id, domainId: domain.id }
}

/** Nothing where somebody else was first. */
async function unlessTaken<T>(making: Promise<T>): Promise<T | undefined> {
  try {
    return await making
  } catch (error) {
    if (error instanceof NameTakenError) return undefined
    throw error
  }
}
