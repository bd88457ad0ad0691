import type { Challenge } from '../../challenge/challenge.ts'
import { hasHandedOverCode, mayHaveFirst } from '../../challenge/enrollment.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import { findMember } from '../../challenge/user.ts'
import type { User } from '../../contract/users.ts'
import type { Factor } from '../../contract/factor.ts'
import { appRequestOf } from '../request/app-request.ts'
import { verifiedOf } from '../request/verified.ts'
import { canAddPasskeys } from '../request/passkeys.ts'
import type { WebRequest } from '../request/web-request.ts'
import { findBrought } from './brought-factors.ts'

export interface Newcomer {
  readonly service: ConnectedService
  readonly newcomer: User
}

/**
 * A user who may set up a first factor and has not passed the second step.
 *
 * @param member The user, where the request has asked the service already.
 */
export async function findNewcomer(request: WebRequest, member?: User): Promise<Newcomer | undefined> {
  const { state, context, user } = request
  if (!state.challenge || verifiedOf(state, context)) return undefined
  const service = await context.mfa.connect()
  const knownMember = service.knowsFactors ? (member ?? (await findMember(service, user))) : undefined
  if (!knownMember || !mayHaveFirst(knownMember) || !(await maySelfEnroll(request, service, knownMember)))
    return undefined
  return (await hasHandedOverCode(service, knownMember.id)) ? undefined : { service, newcomer: knownMember }
}

/**
 * Where a user who never had a factor sets up the first one, below the challenge path, in an app that does not accept devices.
 * An authenticator app comes first where passkeys are accepted as well.
 *
 * @param allowed The factors that pass the challenge.
 */
export async function firstSetup(
  request: WebRequest,
  challenge: Challenge,
  { allowed: factors, member }: { readonly allowed: readonly Factor[]; readonly member: User | undefined },
): Promise<'enroll/app' | 'enroll/passkey' | undefined> {
  const takesApp = factors.includes('otp')
  if (challenge.purpose !== 'sign_in' || factors.includes('push') || !(takesApp || factors.includes('passkey')))
    return undefined
  const newcomer = await findNewcomer(request, member)
  if (!newcomer) return undefined
  if (takesApp) return 'enroll/app'
  return canAddPasskeys(request, newcomer.newcomer) ? 'enroll/passkey' : undefined
}

/**
 * Decides who may set up a first factor with the password alone: for every factor and every version of the service.
 *
 * @param member The user; undefined for one who has a weak factor, and so brings none.
 */
export async function maySelfEnroll(
  request: WebRequest,
  service: ConnectedService,
  member: User | undefined,
): Promise<boolean> {
  const { req, user, context } = request
  if (await findBrought(request, service, member)) return false
  const { selfEnrollment, mayEnroll } = context.mfa.options
  if (!selfEnrollment) return false
  if (!mayEnroll) return service.knowsFactors
  // An untyped app may return anything; only `true` counts.
  const allowed: unknown = await mayEnroll(appRequestOf(req), user)
  return allowed === true
}
