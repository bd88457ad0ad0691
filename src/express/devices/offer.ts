import { mayOfferRecoveryCodes } from '../../challenge/own-factors.ts'
import type { Challenge } from '../../challenge/challenge.ts'
import type { ChallengeRequest } from '../challenge-request.ts'
import { keep, readKept } from '../web-session.ts'

/**
 * Where somebody goes on to who has passed: whoever set up a first factor on the way is asked once whether to keep
 * recovery codes. They are in already; where that cannot be offered, nothing is lost.
 */
export async function nextAfter(request: ChallengeRequest, { enrolment, returnTo }: Challenge): Promise<string> {
  const { req, context } = request
  const { recoveryCodes, factors, logger } = context.mfa.options
  if (enrolment !== 'done' || !recoveryCodes || !factors.includes('bypass')) return returnTo
  try {
    if (!(await mayOfferRecoveryCodes(await context.mfa.connect(), request.user))) return returnTo
  } catch (error) {
    logger?.warn(`mfa: recovery codes could not be offered: ${error instanceof Error ? error.message : String(error)}`)
    return returnTo
  }
  await keep(req, { ...readKept(req), offer: { returnTo } })
  return `${context.base}/recovery`
}
