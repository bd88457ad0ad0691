import type { Challenge } from '../../challenge/challenge.ts'
import { provisionMember } from '../../challenge/enrollment.ts'
import type { ChallengeStatus } from '../../challenge/challenge-status.ts'
import { findMember } from '../../challenge/user.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import { factorsOf, pushOptionsOf } from '../request/web-request.ts'
import { newcomer } from '../self-service/app.ts'

/** Where a challenge stands that is to be passed without push. Nobody's device is asked, and no activation code is issued. */
export async function statusWithoutPush(request: ChallengeRequest, challenge: Challenge): Promise<ChallengeStatus> {
  const service = await request.context.mfa.connect()
  if (await findMember(service, request.user)) return { kind: 'no_device' }
  return (await provisionMember(service, request.user, pushOptionsOf(request, challenge))) ?? { kind: 'no_device' }
}

/** Whether the way on is to set up an authenticator app: the user never had a factor, and an app is the only first one there is. */
export async function startsWithApp(request: ChallengeRequest, challenge: Challenge): Promise<boolean> {
  const factors = factorsOf(request, challenge)
  if (challenge.purpose !== 'sign_in' || factors.includes('push') || !factors.includes('otp')) return false
  return (await newcomer(request)) !== undefined
}
