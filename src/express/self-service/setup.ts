import type { ConnectedService } from '../../challenge/service.ts'
import { newAppSecret } from '../../challenge/authenticator-app.ts'
import { isBeforeEnd } from '../../clock.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import { setupCookie } from '../session/id-cookie.ts'
import { saveMfaState, readMfaState } from '../session/web-session.ts'
import type { Setup } from '../session/web-session.ts'

/** How long somebody may take to set something up, seconds. */
const setupTimeout = 600

/** What this web session is setting up, where it is not too long ago. */
export function setupOf({ req, context }: ChallengeRequest): Setup | undefined {
  const { setup } = readMfaState(req)
  if (setup === undefined || setup.userKey !== context.userKey) return undefined
  return isBeforeEnd(setup.until, setupTimeout, context.mfa.options.clock.now()) ? setup : undefined
}

/** The secret that is shown until the first code of it is right: the same one however often the page is loaded. */
export async function appSecret(request: ChallengeRequest, service: ConnectedService): Promise<string> {
  const { req, res, context } = request
  const { random } = context.mfa.options
  const present = openedSecret(request, service)
  if (present !== undefined) return present
  const seed = newAppSecret(random)
  const nonce = Buffer.from(random(16)).toString('base64url')
  setupCookie.write(req, res, context, { id: nonce, seconds: setupTimeout })
  await saveSetup(request, { app: service.sealer.seal(seed, sealedFor(request, nonce), random) })
  return seed
}

export function openedSecret(request: ChallengeRequest, service: ConnectedService): string | undefined {
  const sealed = setupOf(request)?.app
  const nonce = setupCookie.read(request.req, request.context)
  return sealed === undefined || nonce === undefined
    ? undefined
    : service.sealer.open(sealed, sealedFor(request, nonce))
}

export async function saveSetup(
  { req, context }: ChallengeRequest,
  given: Omit<Setup, 'userKey' | 'until'> | undefined,
): Promise<void> {
  const { userKey = '', mfa } = context
  const setup = given && { ...given, userKey, until: mfa.options.clock.now() + setupTimeout }
  await saveMfaState(req, { ...readMfaState(req), setup })
}

/** One that was put into the web session of somebody else, or whose web session into another browser, is worth nothing there. */
const sealedFor = ({ context }: ChallengeRequest, nonce: string): string =>
  `authenticator app of ${context.userKey}, in the browser ${nonce}`
