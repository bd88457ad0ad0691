import type { Challenge } from '../../challenge/challenge.ts'
import { isActivated } from '../../challenge/enrollment.ts'
import { look, whenSettled } from '../../challenge/push.ts'
import type { ChallengeStatus } from '../../challenge/challenge-status.ts'
import { streamOf, whileHeld } from './change-stream.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import { polled } from '../live/shared-watches.ts'
import type { Change, Watched } from '../live/shared-watches.ts'
import { readMfaState } from '../session/web-session.ts'

/** `GET /mfa/events`: one event (WHATWG HTML section 9.2) as soon as the challenge moves on. Never saves the web session. */
export const liveStatus = streamOf(watchChallenge)

/** `GET /mfa/status`: the same as one held answer, for where event streams do not get through. */
export const statusOnce = whileHeld(watchChallenge)

function watchChallenge({ req, context, user }: ChallengeRequest): Watched | Change {
  const { challenge } = readMfaState(req)
  if (!challenge) return 'settled'
  if (challenge.sessionId !== undefined) return sessionOf({ ...challenge, sessionId: challenge.sessionId })
  const { clock } = context.mfa.options
  return polled(clock, `activation ${context.userKey}`, (service) => isActivated(service, user))
}

function sessionOf(challenge: Challenge & { readonly sessionId: string }): Watched {
  return {
    name: `session ${challenge.sessionId} ${challenge.userKey}`,
    look: async (service) => changeOf(await look(service, challenge)),
    async follow(service, signal) {
      await whenSettled(service, challenge, signal)
      return 'settled'
    },
  }
}

function changeOf(status: ChallengeStatus): Change {
  return status.kind === 'waiting' ? 'none' : 'settled'
}
