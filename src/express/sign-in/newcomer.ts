import type { Challenge } from '../../challenge/challenge.ts'
import { hasHandedOverCode, mayHaveFirst } from '../../challenge/enrollment.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import { findMember } from '../../challenge/user.ts'
import type { User } from '../../contract/users.ts'
import { verifiedOf } from '../request/verified.ts'
import type { WebRequest } from '../request/web-request.ts'
import { factorsOf } from './open-challenge.ts'

/** A user who may set up a first factor and has not passed the second step. */
export async function findNewcomer(
  request: WebRequest,
): Promise<{ readonly service: ConnectedService; readonly newcomer: User } | undefined> {
  const { state, context, user } = request
  if (!state.challenge || verifiedOf(state, context, user)) return undefined
  const service = await context.mfa.connect()
  const known = service.knowsFactors ? await findMember(service, user) : undefined
  if (!known || !mayHaveFirst(known) || !(await maySelfEnroll(request, service))) return undefined
  return (await hasHandedOverCode(service, known.id)) ? undefined : { service, newcomer: known }
}

/** Whether the user sets up an authenticator app first: they never had a factor, and an app is the only possible first one. */
export async function startsWithApp(request: WebRequest, challenge: Challenge): Promise<boolean> {
  const factors = factorsOf(request, challenge)
  if (challenge.purpose !== 'sign_in' || factors.includes('push') || !factors.includes('otp')) return false
  return (await findNewcomer(request)) !== undefined
}

/** Decides who may set up a first factor with the password alone: for every factor and every version of the service. */
export async function maySelfEnroll({ req, user, context }: WebRequest, service: ConnectedService): Promise<boolean> {
  const { selfEnrollment, mayEnroll } = context.mfa.options
  if (!selfEnrollment) return false
  if (!mayEnroll) return service.knowsFactors
  // An untyped app may return anything; only `true` counts.
  const allowed: unknown = await mayEnroll(req, user)
  return allowed === true
}
