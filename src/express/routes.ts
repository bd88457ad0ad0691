import type { Request, Response } from 'express'

import { asCaller } from '../challenge/caller.ts'
import { userKeyOf } from '../challenge/user.ts'
import { sendJson, wantsJson } from './answer.ts'
import { showPage } from './challenge/page.ts'
import type { ChallengeRequest } from './challenge-request.ts'
import { goOn } from './challenge-request.ts'
import { emailCode, enterCode } from './challenge/code-entry.ts'
import { completeChallenge, passedTo } from './challenge/complete.ts'
import type { RequestContext } from './context.ts'
import { isOwnPost } from './cross-site.ts'
import { showApp, showFirstApp, storeApp, storeFirstApp } from './devices/app.ts'
import { forgetAll } from './devices/browsers.ts'
import { deviceEvents, deviceStatus, offerDevice, showDevice, withdrawDevice } from './devices/device.ts'
import { removeFactor, showDevices } from './devices/overview.ts'
import { declineCodes, downloadCodes, makeCodes, offerCodes } from './devices/recovery.ts'
import { endOthers } from './devices/sessions.ts'
import { emit } from './events.ts'
import { readForm } from './form.ts'
import { logOut } from './log-out.ts'
import { liveStatus, statusOnce } from './challenge/live-status.ts'
import { languageOf } from './pages/languages.ts'
import { showMessage } from './pages/message.ts'
import { oneText } from './pages/messages/one-text.ts'
import { giveUp, sendAgain } from './challenge/push-again.ts'
import { chooseRemember } from './remembered.ts'
import { answerTrouble } from './unavailable.ts'
import { readKept } from './web-session.ts'

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
  '/remember': { POST: chooseRemember },
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
    return next === undefined ? route(request) : goOn(request, next)
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
  return expectedTokens(req, below).some((expected) => isOwnPost(req, { token, expected, publicUrl }))
}

/** A page of a challenge has its token, any other page that of the web session; both let people sign out. */
function expectedTokens(req: Request, below: string): readonly (string | undefined)[] {
  const { challenge, page } = readKept(req)
  if (below === '/sign-out') return [challenge?.page, page]
  return [/^\/(devices|recovery)(\/|$)/.test(below) ? page : challenge?.page]
}
