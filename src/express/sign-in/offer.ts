import { mayOfferRecoveryCodes } from '../../challenge/own-factors.ts'
import type { Challenge } from '../../challenge/challenge.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import { logFailure } from '../request/service-outage.ts'
import { saveMfaState, readMfaState } from '../session/web-session.ts'

/**
 * Where somebody goes on to who has passed: whoever set up a first factor on the way is asked once whether to keep
 * recovery codes. They are in already; where that cannot be offered, nothing is lost.
 */
export async function nextLocation(request: ChallengeRequest, { enrollment, returnTo }: Challenge): Promise<string> {
  const { req, context } = request
  const { recoveryCodes, factors } = context.mfa.options
  if (enrollment !== 'done' || !recoveryCodes || !factors.includes('bypass')) return returnTo
  try {
    if (!(await mayOfferRecoveryCodes(await context.mfa.connect(), request.user))) return returnTo
  } catch (error) {
    logFailure(context, 'recovery codes could not be offered', error)
    return returnTo
  }
  await saveMfaState(req, { ...readMfaState(req), offer: { returnTo } })
  return `${context.base}/recovery`
}
