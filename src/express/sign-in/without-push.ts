import type { ChallengeStatus } from '../../challenge/challenge-status.ts'
import type { Challenge } from '../../challenge/challenge.ts'
import { provisionMember } from '../../challenge/enrollment.ts'
import { findMember } from '../../challenge/user.ts'
import type { WebRequest } from '../request/web-request.ts'
import { findNewcomer } from './newcomer.ts'
import { factorsOf } from './open-challenge.ts'
import { pushOptionsOf } from './start-once.ts'

/** The status of a challenge that push does not pass. No request is sent to a device, and no activation code is issued. */
export async function statusWithoutPush(request: WebRequest, challenge: Challenge): Promise<ChallengeStatus> {
  const service = await request.context.mfa.connect()
  if (await findMember(service, request.user)) return { kind: 'no_device' }
  const options = pushOptionsOf(request, service, challenge)
  return (await provisionMember(service, request.user, options)) ?? { kind: 'no_device' }
}

/** Whether the user sets up an authenticator app first: they never had a factor, and an app is the only possible first one. */
export async function startsWithApp(request: WebRequest, challenge: Challenge): Promise<boolean> {
  const factors = factorsOf(request, challenge)
  if (challenge.purpose !== 'sign_in' || factors.includes('push') || !factors.includes('otp')) return false
  return (await findNewcomer(request)) !== undefined
}
