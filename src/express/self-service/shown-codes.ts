import type { ConnectedService } from '../../challenge/service.ts'
import { isBeforeEnd } from '../../ground/clock.ts'
import type { WebRequest } from '../request/web-request.ts'
import { bindingCookie } from '../session/id-cookie.ts'
import type { OwnRequest } from './guarded.ts'
import { ifOfUser } from '../session/mfa-state.ts'
import type { ShownCodes } from '../session/mfa-state.ts'

/** How long new recovery codes are shown again, seconds. */
const shownFor = 600

interface NewCodes {
  readonly codes: readonly string[]
  readonly ids: readonly string[]
  /** The address at which the user continues once the codes are saved. */
  readonly returnTo: string
}

/** Keeps new codes for the page that shows them, so that a reload shows the same ones. */
export function keepCodes(
  request: WebRequest,
  service: ConnectedService,
  { codes, ids, returnTo }: NewCodes,
): ShownCodes {
  const { context } = request
  const { clock, random } = context.mfa.options
  return {
    userKey: context.userKey ?? '',
    until: clock.now() + shownFor,
    id: ids[0] ?? '',
    sealed: service.sealer.seal(codes.join(' '), sealedFor(request), random),
    returnTo,
  }
}

/**
 * The codes that this user has just made in this browser, and where to continue; undefined once they are saved, too old, or replaced
 * elsewhere.
 */
export function shownCodes(request: OwnRequest) {
  const { context, state, service, ownFactors } = request
  const stored = ifOfUser(state.codes, context.userKey ?? '')
  if (!stored || !ownFactors.codeIds.includes(stored.id)) return undefined
  if (!isBeforeEnd(stored.until, shownFor, context.mfa.options.clock.now())) return undefined
  const codes = service.sealer.open(stored.sealed, sealedFor(request))?.split(' ')
  return codes && { codes, returnTo: stored.returnTo }
}

/** Binds the codes to user and browser: whoever copies the cookie of the web session alone cannot read them. */
const sealedFor = ({ req, context }: WebRequest): string =>
  `recovery codes of ${context.userKey}, in the browser ${bindingCookie.read(req, context) ?? 'without a cookie'}`
