import { newAppSecret } from '../../challenge/authenticator-app.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import { isBeforeEnd } from '../../ground/clock.ts'
import type { WebRequest } from '../request/web-request.ts'
import { setupCookie } from '../session/id-cookie.ts'
import type { MfaState, Setup } from '../session/mfa-state.ts'

/** How long users may take to set up a factor, seconds. */
const setupTimeout = 600

/** The setup that this web session is in, unless it has expired. */
export function setupOf({ state: { setup }, context }: WebRequest): Setup | undefined {
  if (setup === undefined || setup.userKey !== context.userKey) return undefined
  return isBeforeEnd(setup.until, setupTimeout, context.mfa.options.clock.now()) ? setup : undefined
}

/** The state with another setup in it. */
export function withSetup({ state, context }: WebRequest, setup: Omit<Setup, 'userKey' | 'until'>): MfaState {
  const { userKey = '', mfa } = context
  return { ...state, setup: { ...setup, userKey, until: mfa.options.clock.now() + setupTimeout } }
}

export interface AppSecret {
  readonly seed: string
  /** The state that holds it. */
  readonly state: MfaState
  readonly cookies: readonly string[]
}

/** The secret that is shown until its first code was entered: the same one however often the page is loaded. */
export function appSecret(request: WebRequest, service: ConnectedService): AppSecret {
  const { req, context } = request
  const { random } = context.mfa.options
  const stored = openedSecret(request, service)
  if (stored !== undefined) return { seed: stored, state: request.state, cookies: [] }
  const seed = newAppSecret(random)
  const nonce = Buffer.from(random(16)).toString('base64url')
  const state = withSetup(request, { app: service.sealer.seal(seed, sealedFor(request, nonce), random) })
  return { seed, state, cookies: setupCookie.write(req, context, { id: nonce, seconds: setupTimeout }) }
}

export function openedSecret(request: WebRequest, service: ConnectedService): string | undefined {
  const sealed = setupOf(request)?.app
  const nonce = setupCookie.read(request.req, request.context)
  return sealed === undefined || nonce === undefined
    ? undefined
    : service.sealer.open(sealed, sealedFor(request, nonce))
}

/** Binds the secret to user and browser: it does not open in another user's web session, nor in another browser. */
const sealedFor = ({ context }: WebRequest, nonce: string): string =>
  `authenticator app of ${context.userKey}, in the browser ${nonce}`
