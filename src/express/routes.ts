import type { Request, Response } from 'express'

import { asCaller } from '../challenge/caller.ts'
import { userKeyOf } from '../challenge/user.ts'
import { sendJson, wantsJson } from './request/answer.ts'
import { showPage } from './sign-in/challenge-page.ts'
import type { ChallengeRequest } from './request/web-request.ts'
import { continueAt } from './request/web-request.ts'
import { emailCode, enterCode } from './sign-in/code-entry.ts'
import { completeChallenge, passedTo } from './sign-in/complete.ts'
import type { RequestContext } from './request/context.ts'
import { isTrustedPost } from './request/cross-site.ts'
import { showApp, showFirstApp, storeApp, storeFirstApp } from './self-service/app.ts'
import { forgetAll } from './self-service/browsers.ts'
import { deviceEvents, deviceStatus, offerDevice, showDevice, withdrawDevice } from './self-service/device.ts'
import { removeFactor, showDevices } from './self-service/overview.ts'
import { declineCodes, downloadCodes, makeCodes, offerCodes } from './self-service/recovery.ts'
import { endOthers } from './self-service/sessions.ts'
import { emit } from './request/events.ts'
import { readForm } from './request/form.ts'
import { logOut } from './app-login/log-out.ts'
import { liveStatus, statusOnce } from './sign-in/live-status.ts'
import { languageOf } from './pages/languages.ts'
import { showMessage } from './pages/message.ts'
import { oneText } from './pages/messages/one-text.ts'
import { giveUp, sendAgain } from './sign-in/push-again.ts'
import { setRemember } from './sign-in/remembered.ts'
import { answerTrouble } from './request/trouble.ts'
import { readMfaState } from './session/web-session.ts'

type Route = (request: ChallengeRequest) => Promise<void>

/** Below the challenge path. */
const routes: Readonly<Record<string, Readonly<Partial<Record<string, Route>>>>> = {
  '/': { GET: showPage },
  '/events': { GET: liveStatus },
  '/status': { GET: statusOnce },
  '/complete': { POST: completeChallenge },
  '/send': { POST: unlessPassed(sendAgain) },
  '/cancel': { POST: unlessPassed(giveUp) },
  '/code': { POST: unlessPassed(enterCode) },
  '/email': { POST: unlessPassed(emailCode) },
  '/remember': { POST: setRemember },
  '/sign-out': { POST: logOut },
  '/enroll/app': { GET: showFirstApp, POST: storeFirstApp },
  '/recovery': { GET: offerCodes },
  '/recovery/later': { POST: declineCodes },
  '/devices': { GET: showDevices },
  '/devices/remove': { POST: removeFactor },
  '/devices/app': { GET: showApp, POST: storeApp },
  '/devices/device': { GET: showDevice, POST: offerDevice },
  '/devices/device/events': { GET: deviceEvents },
  '/devices/device/status': { GET: deviceStatus },
  '/devices/device/cancel': { POST: withdrawDevice },
  '/devices/forget': { POST: forgetAll },
  '/devices/sessions': { POST: endOthers },
  '/devices/codes': { POST: makeCodes },
  '/devices/codes/file': { POST: downloadCodes },
}

/** A tab left over from a challenge that was passed asks for nothing any more: it goes where the other one went. */
function unlessPassed(route: Route): Route {
  return async (request) => {
    const next = passedTo(request)
    return next === undefined ? route(request) : continueAt(request, next)
  }
}

export async function serveChallenge(
  req: Request,
  res: Response,
  context: RequestContext,
  below: string,
): Promise<void> {
  const methods = Object.hasOwn(routes, below) ? routes[below] : undefined
  if (!methods) return showMessage(req, res, context, 404, 'not_found')
  const route = methods[req.method]
  if (!route) {
    res.setHeader('Allow', Object.keys(methods).join(', '))
    return showMessage(req, res, context, 405, 'not_found')
  }
  const { user } = context
  if (!user) return notSignedIn(req, res, context)
  const form = req.method === 'POST' ? await readForm(req) : {}
  if (req.method === 'POST' && !isTrusted(req, context, form, below)) {
    emit(req, context, { type: 'post.refused', path: below })
    return showMessage(req, res, context, 403, 'cross_site')
  }
  try {
    await asCaller(userKeyOf(user), () => route({ req, res, context, user, form }))
  } catch (error) {
    await answerTrouble({ req, res, context, user, form }, error)
  }
}

function notSignedIn(req: Request, res: Response, context: RequestContext): void {
  const { sign_in_first: message } = languageOf(req, context).words.problems
  if (wantsJson(req)) return sendJson(res, 401, { error: 'sign_in_required', message: oneText(message) })
  return showMessage(req, res, context, 401, 'sign_in_first')
}

function isTrusted(req: Request, { mfa }: RequestContext, form: ChallengeRequest['form'], below: string): boolean {
  const { publicUrl } = mfa.options
  const token = form['page']
  return expectedTokens(req, below).some((expected) => isTrustedPost(req, { token, expected, publicUrl }))
}

/** A page of a challenge has its token, any other page that of the web session; both let people sign out. */
function expectedTokens(req: Request, below: string): readonly (string | undefined)[] {
  const { challenge, page } = readMfaState(req)
  if (below === '/sign-out') return [challenge?.page, page]
  return [/^\/(devices|recovery)(\/|$)/.test(below) ? page : challenge?.page]
}
