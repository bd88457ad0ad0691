import type { HttpRequest } from '../framework/http-request.ts'
import type { Mfa } from '../request/context.ts'
import { openApprovals, openChallenges } from '../session/session-state.ts'
import { cancelApprovals } from '../approvals/cancel-approvals.ts'
import { cancelRequests } from '../sign-in/cancel-requests.ts'
import { withdrawShownCode } from './withdraw-shown-code.ts'

/** Ends what was open for a login that ends: a code for another device that a page has shown, and requests and approvals on the device. */
export async function endWithLogin(req: HttpRequest, mfa: Mfa): Promise<void> {
  cancelRequests(req, mfa, openChallenges(req))
  cancelApprovals(req, mfa, openApprovals(req))
  await withdrawShownCode(req, mfa)
}
