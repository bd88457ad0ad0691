import type { Clock } from '../../src/ground/clock.ts'
import type { DeviceRequest } from '../../src/contract/device-answers.ts'
import type { Session } from '../../src/contract/sessions.ts'
import type { User } from '../../src/contract/users.ts'
import { listen } from '../../src/service/engine/http/listen.ts'
import { createService } from '../../src/service/index.ts'
import type { NewDomain, Service, ServiceOptions } from '../../src/service/index.ts'
import { createTestClock } from '../../src/testing/clock.ts'
import type { TestClock } from '../../src/testing/clock.ts'
import { createDeviceCalls, createDeviceSigner, previewCode, random128 } from '../support/device-signer.ts'
import { quickFetch } from '../support/quick-fetch.ts'
import type { Received, Send } from '../support/quick-fetch.ts'
import { createSchemaOf } from '../support/schema-file.ts'

export const v14 = 'application/vnd.service.v1+json; version=1.4'

/** A test clock that also reports each new timer. */
export interface WatchedClock extends TestClock {
  /**
   * Time passes as while the machine is suspended: timers do not run, and have as long to go afterwards as before. It is
   * for periods of which only the end matters: `advance` runs each heartbeat and each sweep of each service on the way.
   */
  skip(seconds: number): void
  /** Resolves when a timer of so many seconds is set. */
  timerSet(seconds: number): Promise<void>
}

/** @param start Unix time, seconds; the machine's time by default. */
export function createWatchedClock(start?: number): WatchedClock {
  const inner = createTestClock(start)
  const watchers: { milliseconds: number; resolve: () => void }[] = []
  const after: Clock['after'] = (milliseconds, callback) => {
    for (const watcher of watchers) if (watcher.milliseconds === milliseconds) watcher.resolve()
    return inner.after(milliseconds, callback)
  }
  const timerSet = (seconds: number) =>
    new Promise<void>((resolve) => void watchers.push({ milliseconds: seconds * 1000, resolve }))
  let skipped = 0
  return { ...inner, now: () => inner.now() + skipped, skip: (seconds) => void (skipped += seconds), after, timerSet }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Whatever the text is as JSON; undefined for none. */
  readonly json: any // oxlint-disable-line typescript/no-explicit-any -- tests read what they expect
  readonly code: string | undefined
}

export interface CallOptions {
  readonly body?: unknown
  readonly raw?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

export async function read(response: Received): Promise<Answer> {
  const text = await response.text()
  const isJson = text !== '' && !/^image|text\/csv|jsonl/.test(response.headers.get('content-type') ?? '')
  const json: any = isJson ? JSON.parse(text) : undefined // oxlint-disable-line typescript/no-explicit-any
  return { status: response.status, headers: response.headers, text, json, code: json?.errors?.[0]?.code }
}

export type Running = Awaited<ReturnType<typeof startService>>

const testKeys = `k1:${Buffer.alloc(32, 1).toString('base64')}`

/** Keys for a database that has no key file beside it. */
export const keysFor = (database = '') => (database.startsWith('postgres') ? { keys: testKeys } : {})

/** How long requests take depends on the machine, so no test is refused for it unless overload is what it is about. */
export const withoutOverload = { concurrentRequests: 1_000_000, responseTime: 600_000 }

/** For tests in which the hashes of PINs are not what is tested. */
export const quickHash = { N: 2, r: 1, p: 1 }

/** The clock of tests stands still: one second of it can be the whole test. */
export const wideLimits = {
  ...withoutOverload,
  triesPerAddress: 10_000,
  triesPerService: 10_000,
  requestsPerSecond: 1_000_000,
}

/**
 * The service over HTTP on its own port, with an organization, a domain and a key.
 * @param start Of its clock, Unix time in seconds; the machine's time by default.
 */
export async function startService(
  options: Partial<ServiceOptions> = {},
  domainOptions: Partial<NewDomain> = {},
  start?: number,
) {
  const clock = createWatchedClock(start)
  if (options.database !== undefined) await createSchemaOf(options.database)
  const logged: { details: object; message: string }[] = []
  const log = (details: object, message: string) => void logged.push({ details, message })
  const service = await createService({
    database: ':memory:',
    clock,
    logger: { info: log, warn: log, error: log },
    push: { subject: 'mailto:operator@example.com' },
    pinHashCost: quickHash,
    ...keysFor(options.database),
    ...options,
    limits: options.limits ? { ...withoutOverload, ...options.limits } : wideLimits,
  })
  const { origin, close } = await serve(service)
  const tenant = await createTenant(service, origin, domainOptions, quickFetch)
  return {
    service,
    clock,
    origin,
    logged,
    ...tenant,
    enroll: (username: string, activation: object = {}) => enroll(origin, clock, tenant, { username, activation }),
    close,
  }
}

async function serve(service: Service) {
  const listening = await listen(service.listener, { host: '127.0.0.1', port: 0 })
  const close = async () => {
    const closing = listening.close()
    await service.close()
    await closing
  }
  return { origin: `http://127.0.0.1:${listening.port}`, close }
}

export type Tenant = Awaited<ReturnType<typeof createTenant>>

/** An organization with one domain, and how its key calls the REST interface. */
export async function createTenant(
  service: Pick<Service, 'administration'>,
  origin: string,
  domainOptions: Partial<NewDomain> = {},
  send?: Send,
) {
  const organization = await service.administration.createOrganization(`Organization ${random128()}`)
  const domain = await service.administration.createDomain(organization.id, { name: 'Domain', ...domainOptions })
  const apiKey = await service.administration.createApiKey(organization.id)
  return { organization, domain, apiKey, call: createCall(origin, apiKey, send) }
}

/** Calls in 1.4 unless the headers say otherwise. @param send Sends the calls, as a connection names it. */
export function createCall(origin: string, apiKey: string, send: Send = fetch) {
  return async (method: string, path: string, { body, raw, headers, signal }: CallOptions = {}): Promise<Answer> => {
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await send(`${origin}/api${path}`, {
      method,
      headers: { accept: v14, authorization: `Service key="${apiKey}"`, ...headers },
      ...(content !== undefined && { body: content }),
      ...(signal && { signal }),
    })
    return read(response)
  }
}

/** A member of the domain with a device, and what the two of them do. */
async function enroll(
  origin: string,
  clock: Clock,
  tenant: Tenant,
  { username, activation }: { username: string; activation: object },
) {
  const { call, domain } = tenant
  const user: User = (await call('POST', '/users', { body: newUser(username) })).json
  await call('PUT', `/domains/${domain.id}/users/${user.id}`)
  const { code } = (await call('PUT', `/domains/${domain.id}/users/${user.id}/token`)).json
  return { user, ...(await activateDevice(origin, clock, code, activation)), ...sessionCalls(tenant, user) }
}

/** @param activation What is to be in the call beside the usual, such as a PIN. */
export async function activateDevice(origin: string, clock: Clock, code: string, activation: object = {}) {
  const preview = await read(await previewCode(origin, code))
  const signer = await createDeviceSigner({ service: preview.json.service, now: () => clock.now() })
  const device = createDeviceCalls(origin, signer)
  const activated = await read(await device.activate(code, activation))
  signer.id = activated.json.device
  const pending = async (): Promise<DeviceRequest[]> => (await read(await device.inbox())).json.requests
  return { signer, device, pending, codeSecret: activated.json.codes.secret as string }
}

function sessionCalls({ call, domain }: Tenant, user: User) {
  const path = `/domains/${domain.id}/sessions`
  return {
    sessions: path,
    ask: async (more: object = {}): Promise<Session> =>
      (await call('POST', path, { body: { user: { id: user.id }, ...more } })).json,
    session: async (id: string): Promise<Session> => (await call('GET', `${path}/${id}`)).json,
    held: (id: string, wait: number) => call('GET', `${path}/${id}`, { headers: { prefer: `wait=${wait}` } }),
  }
}

export const newUser = (username: string) => ({ username, name: `Name of ${username}`, email: 'somebody@example.com' })

export const unknownId = '0'.repeat(40)
