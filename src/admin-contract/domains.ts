import { z } from 'zod'

import { Domain, mapSwitches } from '../contract/domains.ts'
import { endpoint } from '../contract/endpoint.ts'
import { Id, Seconds } from '../contract/text.ts'
import { DomainChanges, NewDomain } from './domain-settings.ts'

/** A domain with its settings. */
export const DomainSettings = Domain.omit({ synchronizationVersion: true }).extend({
  // All of them, also those that a domain of an older service lacks.
  ...mapSwitches(() => z.boolean()),
  /** Changes name it in `If-Match`, in quotes. */
  version: z.string(),
})
export type DomainSettings = z.infer<typeof DomainSettings>

/** A domain in the list. */
export const ListedDomain = DomainSettings.extend({
  /** How many people belong to it; large domains are counted every 15 minutes. Absent for one that was not counted yet. */
  members: z.int().optional(),
})
export type ListedDomain = z.infer<typeof ListedDomain>

export const listAdminDomains = endpoint({
  method: 'GET',
  path: '/admin/domains',
  summary: 'Lists the domains that the administrator can see, by name.',
  response: z.array(ListedDomain),
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain' },
})

export const getAdminDomain = endpoint({
  method: 'GET',
  path: '/admin/domains/:domainId',
  summary: 'Reads the settings of a domain.',
  response: DomainSettings,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain' },
})

export const createAdminDomain = endpoint({
  method: 'POST',
  path: '/admin/domains',
  summary: 'Creates a domain.',
  body: NewDomain,
  response: DomainSettings,
  since: '1.4',
  admin: { role: 'owner', scope: 'organization', fresh: true },
  errors: ['api.error.conflict.state'],
})

export const changeAdminDomain = endpoint({
  method: 'PUT',
  path: '/admin/domains/:domainId',
  summary: 'Changes the settings that the body names. Needs `If-Match` with the version.',
  body: DomainChanges,
  response: DomainSettings,
  since: '1.4',
  admin: { role: 'admin', scope: 'domain', fresh: true },
  errors: ['api.error.precondition', 'api.error.conflict.state'],
})

export const getAdminDomainImage = endpoint({
  method: 'GET',
  path: '/admin/domains/:domainId/image',
  summary: "Reads the domain's image.",
  media: 'image/png',
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain' },
})

export const setAdminDomainImage = endpoint({
  method: 'PUT',
  path: '/admin/domains/:domainId/image',
  summary: 'Replaces the image, which people see on their device.',
  body: z.object({
    /** A PNG of at most 256 KiB and 1024 × 1024 pixels. */
    png: z.base64(),
  }),
  since: '1.4',
  admin: { role: 'admin', scope: 'domain', fresh: true },
  errors: ['api.error.conflict.state'],
})

export const removeAdminDomainImage = endpoint({
  method: 'DELETE',
  path: '/admin/domains/:domainId/image',
  summary: 'Shows the neutral image again.',
  since: '1.4',
  admin: { role: 'admin', scope: 'domain', fresh: true },
})

/** An API key without its secret characters. */
export const ApiKey = z.object({
  id: Id,
  role: z.enum(['admin', 'auth']),
  /** The only domain it is valid for; null for the whole organization. */
  domain: Id.nullable(),
  createdAt: Seconds,
  /** The time of the last use, to the hour; null if never used. */
  usedAt: Seconds.nullable(),
})
export type ApiKey = z.infer<typeof ApiKey>

export const listAdminApiKeys = endpoint({
  method: 'GET',
  path: '/admin/api-keys',
  summary: 'Lists the API keys, oldest first, without their secret characters.',
  response: z.array(ApiKey),
  since: '1.4',
  admin: { role: 'owner', scope: 'organization' },
})

export const createAdminApiKey = endpoint({
  method: 'POST',
  path: '/admin/api-keys',
  summary: 'Creates an API key. Its characters are shown once. Only keys of role `auth` can be limited to a domain.',
  body: z
    .object({ role: z.enum(['admin', 'auth']), domain: Id.nullish() })
    .refine(({ role, domain }) => role === 'auth' || domain == null, {
      message: 'only keys of role auth can be limited to a domain',
      path: ['domain'],
    }),
  response: ApiKey.extend({ key: z.string() }),
  since: '1.4',
  admin: { role: 'owner', scope: 'organization', fresh: true },
  errors: ['api.error.notfound.domain'],
})

export const revokeAdminApiKey = endpoint({
  method: 'DELETE',
  path: '/admin/api-keys/:apiKeyId',
  summary: 'Revokes an API key, from the next request on.',
  since: '1.4',
  admin: { role: 'owner', scope: 'organization', fresh: true },
})
