import type { Agent } from './pass-second-step.ts'
import { passSecondStep } from './pass-second-step.ts'
import type { TestService } from './test-service.ts'

export interface SignInOptions<A extends Agent, U> {
  readonly service: Pick<TestService, 'enroll'>
  /** Performs the app's own login. */
  readonly login: (agent: A, user: U) => PromiseLike<unknown>
  /** The user's name at the service; by default the user itself, or its `username`. */
  readonly username?: (user: U) => string
  /** The path at which mfa() serves the challenge. */
  readonly path?: string
}

/** Signs an agent in. With `mfa: true` it also passes the second step, on a device that it sets up for the user. */
export type SignIn<A extends Agent, U> = (agent: A, user: U, options?: { readonly mfa?: boolean }) => Promise<void>

/**
 * Creates a sign-in function from the app's own login, for all tests of the app.
 *
 * @example
 * const signIn = createSignIn({
 *   service,
 *   login: (agent: TestAgent, username: string) => agent.post('/login').send({ username, password: 'secret' }),
 * })
 * await signIn(agent, 'alice', { mfa: true })
 */
export function createSignIn<A extends Agent, U>(options: SignInOptions<A, U>): SignIn<A, U> {
  const { service, login, username = usernameOf, path = '/mfa' } = options
  return async (agent, user, { mfa = false } = {}) => {
    checkLogin(await login(agent, user))
    if (mfa) await passSecondStep(agent, await service.enroll(username(user)), { path })
  }
}

function usernameOf(user: unknown): string {
  if (typeof user === 'string') return user
  const { username } = (user ?? {}) as { username?: unknown }
  if (typeof username === 'string') return username
  throw new TypeError('createSignIn: the user has no username. Set the option username: (user) => …')
}

/** Reports a failed login here, and not two steps later. */
function checkLogin(answer: unknown): void {
  const { status } = (answer ?? {}) as { status?: unknown }
  if (typeof status === 'number' && status >= 400) throw new Error(`The login returned status ${status}`)
}
