import type { HttpRequest } from '../framework/http-request.ts'
import { currentRequestId } from '../../challenge/service-calls.ts'
import { cancelApproval } from '../../challenge/approval.ts'
import { forgetStart } from './start-once.ts'
import type { Mfa } from '../request/context.ts'
import type { OpenApproval } from '../session/open-approvals.ts'

/** The ids that each request has cancelled: one request can sign out in several ways. */
const cancelled = new WeakMap<HttpRequest, Set<string>>()

/**
 * Cancels approvals that no request can redeem anymore, also on the devices: the next request asks again. Does nothing to settled ones. Not
 * awaited: a service that does not respond keeps no user signed in.
 */
export function cancelApprovals(req: HttpRequest, { connect, options }: Mfa, approvals: readonly OpenApproval[]): void {
  const done = cancelled.get(req) ?? new Set()
  cancelled.set(req, done)
  for (const { id, until } of approvals) {
    if (until <= options.clock.now() || done.has(id)) continue
    done.add(id)
    forgetStart(id)
    connect()
      .then((service) => cancelApproval(service, id))
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error)
        options.logger.warn(`mfa: an approval was not canceled: ${reason} (request ${currentRequestId()})`)
      })
  }
}
