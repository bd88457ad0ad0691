import type { ConnectedService } from '../../challenge/service.ts'
import { newAppSecret } from '../../challenge/authenticator-app.ts'
import type { ChallengeRequest } from '../challenge-request.ts'
import { keep, readKept } from '../web-session.ts'
import type { Setup } from '../web-session.ts'

/** How long somebody may take to set something up, seconds. */
const patience = 600

/** What this web session is setting up, where it is not too long ago. */
export function setupOf({ req, context }: ChallengeRequest): Setup | undefined {
  const { setup } = readKept(req)
  return setup && setup.userKey === context.userKey && context.mfa.options.clock.now() < setup.until ? setup : undefined
}

/** The secret that is shown until the first code of it is right: the same one however often the page is loaded. */
export async function appSecret(request: ChallengeRequest, service: ConnectedService): Promise<string> {
  const { random } = request.context.mfa.options
  const present = openedSecret(request, service)
  if (present !== undefined) return present
  const seed = newAppSecret(random)
  await keepSetup(request, { app: service.sealer.seal(seed, sealedFor(request), random) })
  return seed
}

export function openedSecret(request: ChallengeRequest, service: ConnectedService): string | undefined {
  const sealed = setupOf(request)?.app
  return sealed === undefined ? undefined : service.sealer.open(sealed, sealedFor(request))
}

export async function keepSetup(
  { req, context }: ChallengeRequest,
  given: Omit<Setup, 'userKey' | 'until'> | undefined,
): Promise<void> {
  const { userKey = '', mfa } = context
  const setup = given && { ...given, userKey, until: mfa.options.clock.now() + patience }
  await keep(req, { ...readKept(req), setup })
}

/** One that was put into the web session of somebody else is worth nothing there. */
const sealedFor = ({ context }: ChallengeRequest): string => `authenticator app of ${context.userKey}`
