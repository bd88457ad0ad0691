import type { ChallengeRequest } from '../request/web-request.ts'
import { saveMfaState, readMfaState } from '../session/web-session.ts'

/** What proves that a form came from a page of this web session, where a browser says nothing of itself. */
export async function formToken({ req, context }: ChallengeRequest): Promise<string> {
  const kept = readMfaState(req)
  if (kept.page !== undefined) return kept.page
  const page = Buffer.from(context.mfa.options.random(16)).toString('base64url')
  await saveMfaState(req, { ...kept, page })
  return page
}
