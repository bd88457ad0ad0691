import { createAdministration } from '../../src/service/administration.ts'
import { createFront } from '../../src/service/engine/front/front.ts'
import type { FindKey } from '../../src/service/engine/http/authenticate.ts'
import { listen } from '../../src/service/engine/http/listen.ts'
import { createRateLimiter } from '../../src/service/engine/http/rate-limit.ts'
import { noObserver } from '../../src/service/engine/monitoring/observer.ts'
import type { AnsweredRequest } from '../../src/service/engine/monitoring/observer.ts'
import { ServiceOptions } from '../../src/service/options.ts'
import { openService } from '../../src/service/service.ts'
import { apiKeyByHash } from '../../src/service/features/domains/api-key-statements.ts'
import {
  activateDevice,
  createCall,
  createTenant,
  createWatchedClock,
  newUser,
  wideLimits,
} from '../service/start-service.ts'

/** How the REST interface can be called. */
export const transports = ['over HTTP', 'in the same process'] as const
export type TransportName = (typeof transports)[number]

/** One service whose REST interface is served over HTTP and can be called in the same process. */
export async function startTransports(limits: ServiceOptions['limits'] = {}) {
  const clock = createWatchedClock()
  const observed: AnsweredRequest[] = []
  const observer = { ...noObserver, answered: (request: AnsweredRequest) => void observed.push(request) }
  const options = ServiceOptions.parse({
    database: ':memory:',
    clock,
    logger: { info() {}, warn() {}, error() {} },
    limits: { ...wideLimits, ...limits },
  })
  const service = await openService(options, observer)
  const { ctx } = service
  const vendor = { scheme: 'Service', mediaType: 'service' }
  const limiter = (name: string) => createRateLimiter(name, ctx.limits.requestsPerSecond, clock)
  const findKey: FindKey = (hash) => apiKeyByHash(ctx.store.db, hash)
  const rates = { byKey: limiter('key'), byAddress: limiter('address') }
  const { handle, fetchAt } = service.rest({ vendor, basePath: '/api', findKey, rates })
  const listener = createFront(ctx, { vendor, pages: [], handles: [service.routes, handle] })
  const server = await listen(listener, { host: '127.0.0.1', port: 0 })
  const origin = `http://127.0.0.1:${server.port}`
  const local = { origin: 'https://service.invalid', send: fetchAt('https://service.invalid/api') }
  const administration = createAdministration(ctx)
  const tenant = await createTenant({ administration }, origin)

  return {
    ...tenant,
    clock,
    observed,
    administration,
    /** @param key The key of the organization unless given. */
    over(transport: TransportName, key = tenant.apiKey) {
      const access = transport === 'over HTTP' ? { origin, send: fetch } : local
      return { ...access, apiKey: key, call: createCall(access.origin, key, access.send) }
    },
    /** A pending session of a new user. @returns its path. */
    async ask(username: string): Promise<string> {
      const { call, domain } = tenant
      const { json: user } = await call('POST', '/users', { body: newUser(username) })
      await call('PUT', `/domains/${domain.id}/users/${user.id}`)
      const { json: token } = await call('PUT', `/domains/${domain.id}/users/${user.id}/token`)
      await activateDevice(origin, clock, token.code)
      const sessions = `/domains/${domain.id}/sessions`
      return `${sessions}/${(await call('POST', sessions, { body: { user: { id: user.id } } })).json.id}`
    },
    closeService: service.close,
    async close() {
      const closing = server.close()
      await service.close()
      await closing
    },
  }
}
