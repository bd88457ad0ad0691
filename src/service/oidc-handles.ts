import type { ServiceHandle } from '../service-handle.ts'
import type { FindKey, KnownKey } from './engine/http/authenticate.ts'
import { hashApiKey } from './engine/http/authenticate.ts'
import { newApiKey } from './features/domains/api-keys.ts'
import { organizationOfDomain } from './features/domains/statements.ts'
import type { OpenedFor } from './opened-for.ts'

/** RFC 6761 reserves `.invalid`: without the `fetch` beside it, this address is never reached, and the key is never sent. */
const baseUrl = 'https://openid.invalid/api'

/** The actor of audit entries. The provider manages the factors of its users, as an app with an embedded service does. */
const ownKey = { id: 'openid', role: 'admin' } as const

/**
 * Handles of domains for `mfa()`, each the same object at every call. Their keys exist in this process only, are accepted only by calls in
 * it, and are limited to their domain.
 *
 * @param service The handle that the routes of the authenticator are mounted by.
 */
export function domainHandles(service: object, opened: () => Promise<OpenedFor>): (domainId: string) => ServiceHandle {
  const handles = new Map<string, ServiceHandle>()
  const keys = new Map<string, KnownKey>()
  const findKey: FindKey = (hash) => Promise.resolve(keys.get(hash))
  let rest: ReturnType<OpenedFor['service']['rest']> | undefined

  async function connect(domainId: string) {
    const { service: open, vendor } = await opened()
    rest ??= open.rest({ vendor, basePath: '/api', findKey })
    const organizationId = await organizationOfDomain(open.ctx.store.db, domainId)
    if (organizationId === '') throw new RangeError('domainId: no such domain')
    const apiKey = newApiKey(open.ctx)
    const hash = hashApiKey(apiKey)
    keys.set(hash, { ...ownKey, hash, organizationId, domainId })
    return Object.freeze({ baseUrl, apiKey, domainId, vendor, fetch: rest.fetchAt(baseUrl) })
  }

  function createHandle(domainId: string): ServiceHandle {
    let connection: ReturnType<typeof connect> | undefined
    return {
      // Ids of domains are random: no other service has this one.
      id: `openid:${domainId}`,
      routes: (service as ServiceHandle).routes,
      connect() {
        connection ??= connect(domainId).catch((error: unknown) => {
          // The next caller may succeed.
          connection = undefined
          // Anyone can name domains that do not exist, also while the database cannot be asked.
          handles.delete(domainId)
          throw error
        })
        return connection
      },
      close: () => Promise.resolve(),
    }
  }

  return (domainId) => {
    const handle = handles.get(domainId) ?? createHandle(domainId)
    handles.set(domainId, handle)
    return handle
  }
}
