import { start, look, redeem, cancel } from '../challenge/flow.ts'
import type { FlowOptions, Sender, Standing, Step } from '../challenge/flow.ts'
import type { Challenge } from '../challenge/challenge.ts'
import type { MfaUser } from '../challenge/user.ts'
import { userKeyOf } from '../challenge/user.ts'
import { seeOther, sendJson, wantsJson } from './answer.ts'
import { clientAddress, clientAttributes } from './client-facts.ts'
import type { RequestContext } from './context.ts'
import { verifiedOf } from './context.ts'
import { openChallenge } from './demand.ts'
import { isPrefetch } from './navigation.ts'
import { showMessage, showStanding } from './pages/render.ts'
import type { ChallengeRequest } from './routes.ts'
import { keep, letGo, readKept, verifyWebSession } from './web-session.ts'

/** How soon a request may be sent again, seconds: the person's first look at the device should find one. */
export const sendAgainAfter = 15

/** `GET /mfa`: where the challenge stands. The first look starts it; the reloads of a page without script end it. */
export async function showPage(request: ChallengeRequest): Promise<void> {
  const { req, res, context, user } = request
  if (isPrefetch(req)) return showMessage(req, res, context, 503, 'not_ahead')
  const present = readKept(req).challenge
  if (!present && verifiedOf(req, context, user)) return seeOther(res, '/')
  const challenge = present ?? (await openChallenge(req, context, freshSignIn(user)))
  const { challenge: current, standing } = await stand(request, challenge)
  if (standing.kind === 'approved' && req.query['page'] === current.page) return completePage(request)
  if (current === challenge) letGo(req)
  else await keep(req, { ...readKept(req), challenge: current })
  const { baseUrl } = await context.mfa.connect()
  showStanding(req, res, context, { challenge: current, standing, baseUrl })
}

/** `POST /mfa/complete`: turns the approval into a verified web session, once. */
export async function completePage({ req, res, context, user }: ChallengeRequest): Promise<void> {
  const { challenge } = readKept(req)
  if (!challenge) return goOn(req, res, verifiedOf(req, context, user) ? '/' : context.base)
  const verified = await redeem(await context.mfa.connect(), challenge)
  if (verified?.userKey !== userKeyOf(user)) {
    // Storing this request's copy of the web session could undo what the winner stored.
    letGo(req)
    return goOn(req, res, context.base)
  }
  await verifyWebSession(req, verified)
  return goOn(req, res, challenge.returnTo)
}

/** `POST /mfa/send`: asks the device once more; what was asked before is taken back. */
export async function sendAgain(request: ChallengeRequest): Promise<void> {
  const { req, res, context, user } = request
  const kept = readKept(req)
  const challenge = kept.challenge ?? (await openChallenge(req, context, freshSignIn(user)))
  const service = await context.mfa.connect()
  const before = await look(service, challenge)
  if (!isTooSoon(before, context.mfa.options.clock.now()) && before.kind !== 'approved') {
    await cancel(service, challenge)
    const step = await start(service, withoutSession(challenge), senderOf(request), flowOptions(context))
    await keep(req, { ...readKept(req), challenge: step.challenge })
  }
  goOn(req, res, context.base)
}

/** `POST /mfa/cancel`: the person gives up; the device forgets the request. */
export async function cancelPage({ req, res, context }: ChallengeRequest): Promise<void> {
  const { challenge } = readKept(req)
  if (challenge) await cancel(await context.mfa.connect(), challenge)
  letGo(req)
  goOn(req, res, challenge?.giveUpTo ?? context.base)
}

/** Where the challenge stands; one that asked nobody yet is started. Requests at the same moment start it once. */
async function stand(request: ChallengeRequest, challenge: Challenge): Promise<Step> {
  const service = await request.context.mfa.connect()
  if (challenge.sessionId !== undefined) return { challenge, standing: await look(service, challenge) }
  const underWay = starting.get(challenge.id)
  if (underWay) return underWay
  const started = start(service, challenge, senderOf(request), flowOptions(request.context)).finally(() =>
    starting.delete(challenge.id),
  )
  starting.set(challenge.id, started)
  return started
}

const starting = new Map<string, Promise<Step>>()

function freshSignIn(user: MfaUser) {
  return { userKey: userKeyOf(user), purpose: 'sign_in', returnTo: '/' } as const
}

function withoutSession(challenge: Challenge): Challenge {
  const { sessionId: _settled, ...rest } = challenge
  return rest
}

function isTooSoon(standing: Standing, now: number): boolean {
  return standing.kind === 'waiting' && now - standing.createdAt < sendAgainAfter
}

function senderOf({ req, user }: ChallengeRequest): Sender {
  return { user, attributes: clientAttributes(req), ipAddress: clientAddress(req) }
}

function flowOptions({ mfa: { options } }: RequestContext): FlowOptions {
  return { numberMatching: options.numberMatching, provision: options.provision }
}

/** Scripts are told where to go, as a redirect would be followed behind their back. */
function goOn(req: ChallengeRequest['req'], res: ChallengeRequest['res'], location: string): void {
  if (wantsJson(req)) sendJson(res, 200, { location })
  else seeOther(res, location)
}
