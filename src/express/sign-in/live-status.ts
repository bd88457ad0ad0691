import type { ChallengeStatus } from '../../challenge/challenge-status.ts'
import type { Challenge } from '../../challenge/challenge.ts'
import { isActivated } from '../../challenge/enrollment.ts'
import { readStatus, whenSettled } from '../../challenge/push.ts'
import type { Change, WatchTarget } from '../live/shared-watches.ts'
import { polled } from '../live/shared-watches.ts'
import type { WebRequest } from '../request/web-request.ts'
import { streamOf, whileHeld } from './change-stream.ts'

/** `GET /mfa/events`: one event as soon as the challenge is settled. Never saves the web session. */
export const liveStatus = streamOf(watchChallenge)

/** `GET /mfa/status`: the same as one held answer, for browsers that event streams do not reach. */
export const statusOnce = whileHeld(watchChallenge)

function watchChallenge({ query, state: { challenge }, context, user }: WebRequest): WatchTarget | Change {
  if (!challenge) return 'settled'
  const page = query.get('page')
  // Tabs that opened at a browser's first visit can show challenges whose cookie was replaced by that of the last one.
  if (page !== null && page !== challenge.page) return 'replaced'
  if (challenge.sessionId !== undefined) return watchSession({ ...challenge, sessionId: challenge.sessionId })
  const { clock } = context.mfa.options
  return polled(clock, `activation ${context.userKey}`, (service) => isActivated(service, user))
}

function watchSession(challenge: Challenge & { readonly sessionId: string }): WatchTarget {
  return {
    name: `session ${challenge.sessionId} ${challenge.userKey}`,
    check: async (service) => changeOf(await readStatus(service, challenge)),
    async follow(service, signal) {
      await whenSettled(service, challenge, signal)
      return 'settled'
    },
  }
}

function changeOf(status: ChallengeStatus): Change {
  return status.kind === 'waiting' ? 'none' : 'settled'
}
