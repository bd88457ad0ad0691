import type { HttpRequest } from '../framework/http-request.ts'
import type { Mfa } from '../request/context.ts'
import { openChallenges } from '../session/web-session.ts'
import { cancelRequests } from '../sign-in/cancel-requests.ts'
import { withdrawShownCode } from './withdraw-shown-code.ts'

/** Ends what was open for a login that ends: a code for another device that a page has shown, and requests on the device. */
export async function endWithLogin(req: HttpRequest, mfa: Mfa): Promise<void> {
  cancelRequests(req, mfa, openChallenges(req))
  await withdrawShownCode(req, mfa)
}
