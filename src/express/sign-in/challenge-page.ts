import type { Challenge } from '../../challenge/challenge.ts'
import { otherFactors } from '../../challenge/code.ts'
import type { Step } from '../../challenge/push.ts'
import { readPauses } from '../../challenge/pauses.ts'
import { look } from '../../challenge/push.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import type { ChallengeStatus } from '../../challenge/challenge-status.ts'
import { userKeyOf } from '../../challenge/user.ts'
import { seeOther } from '../request/answer.ts'
import { browserCookie } from '../session/id-cookie.ts'
import { requestedChallenge } from '../request/requested-challenge.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import { factorsOf, emitStep, defaultChallenge } from '../request/web-request.ts'
import { completeChallenge, passedTo, spent } from './complete.ts'
import { verifiedOf } from '../request/context.ts'
import { openChallenge, refuse } from './demand.ts'
import { emit } from '../request/events.ts'
import { isPrefetch, isScript } from '../request/navigation.ts'
import { showMessage } from '../pages/message.ts'
import { showStatus } from '../pages/status-page.ts'
import { startOnce } from './start-once.ts'
import { statusWithoutPush, startsWithApp } from './without-push.ts'
import { saveMfaState, detachWebSession, readMfaState, takeOwnSessionId } from '../session/web-session.ts'

/** `GET /mfa`: where the challenge stands. The first look starts it; the reloads of a page without script end it. */
export async function showPage(request: ChallengeRequest): Promise<void> {
  const { req, res, context, user } = request
  if (isPrefetch(req)) return showMessage(req, res, context, 503, 'not_ahead')
  const { challenge: present } = readMfaState(req)
  const called = isScript(req) ? undefined : requestedChallenge(req, context)
  if (called) return openRequestedChallenge(request, called)
  const passed = passedTo(request)
  if (passed !== undefined) return seeOther(res, passed)
  if (present?.sessionId === undefined && isScript(req)) return refuseScript(request)
  const challenge = present ?? (await openChallenge(req, context, defaultChallenge(request)))
  const { challenge: current, status: found } = await stand(request, challenge)
  if (found.kind === 'no_device' && (await startsWithApp(request, current))) {
    return seeOther(res, `${context.base}/enroll/app`)
  }
  // Going on with an approval that is worth nothing would go round in circles.
  const status = found.kind === 'approved' && spent in req.query ? timedOut : found
  if (status.kind === 'approved' && req.query['page'] === current.page) return completeChallenge(request)

  const service = await context.mfa.connect()
  const others = await otherFactors(service, user, factorsOf(request, current))
  const pauses = await pausesOf(request, service, status)
  const renewed = status.kind === 'enrolling' && (await takeOwnSessionId(req, userKeyOf(user)))
  const told = emitEnd(request, current, status)
  if (told === challenge && !renewed) detachWebSession(req)
  else await saveMfaState(req, { ...readMfaState(req), challenge: told })
  showStatus(request, {
    challenge: current,
    status,
    others,
    pauses,
    baseUrl: service.baseUrl,
    version: service.version,
  })
}

/** Read where the page offers ways to go on; while the device is asked, or says yes, that is the way. */
async function pausesOf(
  { req, context, user }: ChallengeRequest,
  service: ConnectedService,
  { kind }: ChallengeStatus,
) {
  const isWaiting = kind === 'waiting' || kind === 'approved' || kind === 'enrolling'
  if (isWaiting && req.query['use'] !== 'code') return {}
  return readPauses(service, user, browserCookie.read(req, context))
}

/** Only a person who looks at the page has the device asked. */
async function refuseScript({ res, context }: ChallengeRequest): Promise<void> {
  await context.mfa.connect()
  refuse(res, context)
}

/** Opens the challenge that the address asks for, and shows it under its plain address: that can be loaded again. */
async function openRequestedChallenge(
  request: ChallengeRequest,
  { returnTo, ...wanted }: NonNullable<ReturnType<typeof requestedChallenge>>,
) {
  const { req, res, context, user } = request
  const verified = verifiedOf(req, context, user)
  const usual = defaultChallenge(request)
  if (verified && wanted.purpose === 'sign_in' && !wanted.factors) return seeOther(res, returnTo ?? usual.returnTo)
  // Who is not in yet signs in first, whatever they want to change afterwards.
  const verifiedPurpose = wanted.purpose === 'change_devices' ? 'change_devices' : 'step_up'
  const purpose = verified ? verifiedPurpose : 'sign_in'
  const next = purpose === 'change_devices' ? `${context.base}/devices` : usual.returnTo
  await openChallenge(req, context, { ...usual, ...wanted, purpose, returnTo: returnTo ?? next })
  seeOther(res, context.base)
}

/** The app is told of a bad end once, however often its page is loaded. */
function emitEnd({ req, context }: ChallengeRequest, challenge: Challenge, status: ChallengeStatus): Challenge {
  const { sessionId, told } = challenge
  if (status.kind !== 'ended' || sessionId === undefined || told === sessionId) return challenge
  emit(req, context, { type: 'push.ended', sessionId, reason: status.reason })
  return { ...challenge, told: sessionId }
}

/** Where the challenge stands; one that asked nobody yet is started. */
async function stand(request: ChallengeRequest, challenge: Challenge): Promise<Step> {
  const { context } = request
  if (challenge.sessionId !== undefined) {
    return { challenge, status: await look(await context.mfa.connect(), challenge) }
  }
  if (factorsOf(request, challenge).includes('push')) return startOnce(request, challenge)
  const step = { challenge, status: await statusWithoutPush(request, challenge) }
  emitStep(request, step)
  return step
}

const timedOut = { kind: 'ended', reason: 'timeout' } as const
