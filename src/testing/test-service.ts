import type { Client } from '../client/client.ts'
import { createClient } from '../client/client.ts'
import { ApiError } from '../client/errors.ts'
import type { User } from '../contract/users.ts'
import { createDevice } from '../device/device.ts'
import type { ServiceHandle } from '../service-handle.ts'
import { embedded } from '../service/embedded.ts'
import type { TestClock } from './clock.ts'
import { createTestClock } from './clock.ts'
import type { TestDevice } from './test-device.ts'
import { createTestDevice } from './test-device.ts'
import type { TestPasskey } from './test-passkey.ts'
import { createTestPasskey } from './test-passkey.ts'
import { serveRoutes } from './serve-routes.ts'

/** A real service in memory, for the tests of an app. Pass it to `mfa({ service, clock: service.clock })`. */
export interface TestService extends ServiceHandle {
  /** A clock that stands still until a test moves it. Pass it to mfa() as well. */
  readonly clock: TestClock
  /** A client with the rights of an administrator. */
  readonly client: Client
  readonly domainId: string
  /** Adds the user, as `provision` would. */
  addUser(username: string): Promise<User>
  /** Sets up a device for a user, who is added if necessary. Further calls return the same device. */
  enroll(username: string): Promise<TestDevice>
  /**
   * Adds a passkey for a user, who is added if necessary. Needs the package `@simplewebauthn/server`.
   * @param origin The option `publicUrl` of `mfa()`, such as `http://localhost:3000`: browsers accept no passkeys at `127.0.0.1`.
   */
  addPasskey(username: string, origin: string): Promise<TestPasskey>
  /** Creates a code with which this user can pass the second step once. */
  code(username: string): Promise<string>
  /**
   * Ends the verified web sessions of a user, as an administrator does: open sockets have to close, and requests are asked again within
   * a minute: `await service.clock.advance(60)`.
   */
  endSessions(username: string): Promise<void>
}

/**
 * Starts a service within milliseconds. `close()` removes everything.
 *
 * @example
 * const service = await startTestService()
 * const app = createApp({ mfa: { service, clock: service.clock } })
 * const device = await service.enroll('alice')
 * // … sign in …
 * await device.approve()
 */
export async function startTestService(): Promise<TestService> {
  const clock = createTestClock()
  const handle = embedded({ database: ':memory:', clock, push: false })
  const { baseUrl, apiKey, domainId, fetch } = await handle.connect()
  const client = createClient({ baseUrl, apiKey, fetch })
  const listener = await serveRoutes(handle.routes)
  const core = createDevice({ clock })

  async function addUser(username: string): Promise<User> {
    const user = await knownUser(client, username)
    await client.domains.addUser(domainId, user.id)
    return user
  }

  async function enroll(username: string, currentDevice: TestDevice | undefined): Promise<TestDevice> {
    const { id } = await addUser(username)
    const { code } = await client.tokens.issue(domainId, id)
    // No code was issued, so the current device still works.
    if (code === undefined && currentDevice) return currentDevice
    const account = await core.activate(listener.url, code ?? '', { name: 'Test device' })
    return createTestDevice(core, account, { client, domainId })
  }
  const devices = new Map<string, Promise<TestDevice>>()

  return Object.freeze({
    ...(handle.id !== undefined && { id: handle.id }),
    routes: handle.routes,
    connect: () => handle.connect(),
    clock,
    client,
    domainId,
    addUser,
    enroll(username: string) {
      // One after the other, so that concurrent sign-ins of a user share one device.
      const previous = devices.get(username)?.catch(() => undefined) ?? Promise.resolve(undefined)
      const device = previous.then((previousDevice) => enroll(username, previousDevice))
      devices.set(username, device)
      return device
    },
    async addPasskey(username: string, origin: string) {
      const { id } = await addUser(username)
      return createTestPasskey({ client, domainId }, id, origin)
    },
    async code(username: string) {
      const { id } = await addUser(username)
      const { code = '' } = await client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })
      return code
    },
    async endSessions(username: string) {
      const { id } = await addUser(username)
      await client.users.endSessions(domainId, id)
    },
    async close() {
      await listener.close()
      await handle.close()
    },
  })
}

async function knownUser(client: Client, username: string): Promise<User> {
  try {
    return await client.users.create({ username, name: username, email: 'person@example.com' })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'api.error.conflict.username')
      return client.users.getByUsername(username)
    throw error
  }
}
