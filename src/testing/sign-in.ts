import type { Agent } from './pass-second-step.ts'
import { passSecondStep } from './pass-second-step.ts'
import type { TestService } from './test-service.ts'

export interface SignInOptions<A extends Agent, U> {
  readonly service: Pick<TestService, 'enroll'>
  /** The app's own login: what the kit cannot know. */
  readonly login: (agent: A, user: U) => PromiseLike<unknown>
  /** How the service knows the user; by default the user itself, or its `username`. */
  readonly username?: (user: U) => string
  /** Where mfa() serves the challenge. */
  readonly path?: string
}

/** Signs an agent in; with `mfa: true` the second step is passed as well, on a device that the user has from then on. */
export type SignIn<A extends Agent, U> = (agent: A, user: U, options?: { readonly mfa?: boolean }) => Promise<void>

/**
 * Tells the kit how people sign in to the app, once for all its tests.
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
  throw new TypeError('createSignIn: this user has no username: give username: (user) => …')
}

/** What came of a login is best known where it went wrong, not two steps later. */
function checkLogin(answer: unknown): void {
  const { status } = (answer ?? {}) as { status?: unknown }
  if (typeof status === 'number' && status >= 400) throw new Error(`The login answered ${status}`)
}
