import type { Client } from '../client/client.ts'
import type { PasskeyAnswer } from '../contract/passkeys.ts'
import type { RequestOptions, UsernamelessOptions } from '../contract/webauthn.ts'
import { pooledRandom } from '../ground/pooled-random.ts'
import { createAuthenticator } from './software-authenticator.ts'

/** A user's passkey, controlled by a test. */
export interface TestPasskey {
  /** Answers `navigator.credentials.get()` as a browser does after a touch. @throws {Error} when the options do not allow it. */
  use(options: RequestOptions | UsernamelessOptions): PasskeyAnswer
}

interface Place {
  readonly client: Client
  readonly domainId: string
}

/**
 * Adds a passkey for a user, as the app at `origin` would.
 * @throws {TypeError} when browsers accept no passkeys at the origin.
 */
export async function createTestPasskey(place: Place, userId: string, origin: string): Promise<TestPasskey> {
  const { client, domainId } = place
  const { hostname } = new URL(origin)
  const authenticator = createAuthenticator({ origin })
  const challenge = random128()
  const permission = await permissionOf(place, userId)
  const rp = { id: hostname, name: 'Test', origins: [origin] }
  const options = await client.passkeys.startRegistration(domainId, userId, { rp, challenge, ...permission })
  const response = authenticator.make(options)
  await client.passkeys.register(domainId, userId, { response, challenge, name: 'Test passkey', ...permission })
  return Object.freeze({
    use: (requestOptions: RequestOptions | UsernamelessOptions) => authenticator.use(requestOptions),
  })
}

/** A first factor needs none; later ones need a second step for changing factors, here by a code of the administrator. */
async function permissionOf({ client, domainId }: Place, userId: string) {
  const { everEnrolled } = await client.users.get(userId)
  if (!everEnrolled) return { first: true }
  const { code = '' } = await client.bypassCodes.create(userId, { usesAllowed: 1, expirationTime: 5 })
  const challenge = random128()
  const user = { id: userId }
  const purpose = 'change_devices'
  const session = await client.sessions.create(domainId, { user, challenge, purpose, bypasscode: code })
  await client.sessions.redeem(domainId, session.id, challenge)
  return { pass: session.id }
}

const random128 = (): string => Buffer.from(pooledRandom(16)).toString('base64url')
