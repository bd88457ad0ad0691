import { isActivated } from '../../challenge/enrolment.ts'
import { follow } from '../../challenge/push.ts'
import type { Standing } from '../../challenge/standing.ts'
import { pollEach, streamOf, whileHeld } from '../change-stream.ts'
import type { Change } from '../change-stream.ts'
import type { ChallengeRequest } from '../challenge-request.ts'
import { letGo, readKept } from '../web-session.ts'

/** `GET /mfa/events`: one event (WHATWG HTML section 9.2) as soon as the challenge moves on. Never saves the web session. */
export const liveStatus = streamOf(watchChallenge)

/** `GET /mfa/status`: the same as one held answer, for where event streams do not get through. */
export const statusOnce = whileHeld(watchChallenge)

async function watchChallenge(request: ChallengeRequest, signal: AbortSignal, timeout: number): Promise<Change> {
  const { req, context, user } = request
  const { challenge } = readKept(req)
  letGo(req)
  if (!challenge) return 'settled'
  const service = await context.mfa.connect()
  if (challenge.sessionId !== undefined) {
    return changeOf(await follow(service, { ...challenge, sessionId: challenge.sessionId }, { timeout, signal }))
  }
  return pollEach(request, () => isActivated(service, user), { signal, timeout })
}

function changeOf(standing: Standing): Change {
  return standing.kind === 'waiting' ? 'none' : 'settled'
}
