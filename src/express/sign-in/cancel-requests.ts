import type { HttpRequest } from '../framework/http-request.ts'
import { currentRequestId } from '../../challenge/service-calls.ts'
import type { Challenge } from '../../challenge/challenge.ts'
import { challengeLifetime } from '../../challenge/challenge.ts'
import { cancel } from '../../challenge/push.ts'
import type { Mfa } from '../request/context.ts'

/** The ids that each request has cancelled: one request can sign out in several ways. */
const cancelled = new WeakMap<HttpRequest, Set<string>>()

/**
 * Cancels what these challenges have sent to devices, if it still waits: nobody can use its approval anymore. Not awaited: a service that
 * does not respond keeps no user signed in.
 */
export function cancelRequests(req: HttpRequest, { connect, options }: Mfa, challenges: readonly Challenge[]): void {
  const done = cancelled.get(req) ?? new Set()
  cancelled.set(req, done)
  for (const challenge of challenges) {
    const { sessionId, askedAt = 0 } = challenge
    if (sessionId === undefined || done.has(sessionId) || options.clock.now() - askedAt > challengeLifetime) continue
    done.add(sessionId)
    connect()
      .then((service) => cancel(service, challenge))
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error)
        options.logger.warn(`mfa: a request on a device was not canceled: ${reason} (request ${currentRequestId()})`)
      })
  }
}
