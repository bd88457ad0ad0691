import type { FrameworkRequest } from './framework/request.ts'
import type { FrameworkResponse } from './framework/response.ts'
import { isOfOtherUser } from '../challenge/page-token.ts'
import { userKeyOf } from '../challenge/user.ts'
import { sentFactors } from '../contract/factor-descriptions.ts'
import type { SentFactor } from '../contract/factor-descriptions.ts'
import { logOut } from './app-login/log-out.ts'
import { apply, serve } from './apply.ts'
import type * as ApprovalPages from './approvals/own-pages.ts'
import { loadLanguageFor } from './pages/languages.ts'
import type { PageRequest } from './pages/layout.ts'
import { message } from './pages/message.ts'
import type { Next, RequestContext } from './request/context.ts'
import { isTrustedPost, readForm } from './request/form.ts'
import type { FormNotices } from './request/form.ts'
import { isHtmx, isTurbo } from './request/navigation.ts'
import type { Handler, Outcome } from './request/outcome.ts'
import { leadTo } from './request/outcome.ts'
import { queryOf, searchOf } from './request/query.ts'
import type { WebRequest } from './request/web-request.ts'
import { warnOnce } from './request/warn.ts'
import { showApp, showFirstApp, storeApp, storeFirstApp } from './self-service/app.ts'
import { carryingOut } from './self-service/carried.ts'
import { deviceEvents, deviceStatus, offerDevice, showDevice, withdrawDevice } from './self-service/device.ts'
import { endOthers, forgetBrowsers, removeFactor, renameDevice, showDevices } from './self-service/overview.ts'
import { addFirstPasskey, firstPasskeyOptions, showFirstPasskey } from './self-service/first-passkey.ts'
import { addPasskey, newPasskeyOptions, removePasskey, renamePasskey, showNewPasskey } from './self-service/passkeys.ts'
import { declinePasskey, offerPasskey } from './self-service/passkey-offer.ts'
import { declineCodes, downloadCodes, finishCodes, makeCodes, offerCodes, showCodes } from './self-service/recovery.ts'
import { proveBrowser } from './sign-in/browser-proof.ts'
import { challengePage } from './sign-in/challenge-page.ts'
import { enterCode, requestCode } from './sign-in/code-entry.ts'
import { completeChallenge, passedTo } from './sign-in/finish.ts'
import { enterHandedOverCode } from './sign-in/handed-over-code.ts'
import { liveStatus, statusOnce } from './sign-in/live-status.ts'
import { enterPasskey, passkeyOptions } from './sign-in/passkey.ts'
import { giveUp, sendAgain } from './sign-in/push-again.ts'
import { setRemember } from './sign-in/remembered.ts'

/** The routes below the challenge path. */
const routes: Readonly<Record<string, Readonly<Partial<Record<string, Handler>>>>> = {
  '/': { GET: challengePage },
  '/events': { GET: liveStatus },
  '/status': { GET: statusOnce },
  '/complete': { POST: completeChallenge },
  '/send': { POST: unlessPassed(sendAgain) },
  '/cancel': { POST: unlessPassed(giveUp) },
  '/code': { POST: unlessPassed(enterCode) },
  '/browser': { POST: unlessPassed(proveBrowser) },
  '/passkey': { POST: unlessPassed(enterPasskey) },
  '/passkey/code': { POST: unlessPassed(enterHandedOverCode) },
  '/passkey/options': { POST: unlessPassed(passkeyOptions) },
  ...Object.fromEntries(sentFactors.map((factor) => [`/${factor}`, { POST: unlessPassed(sending(factor)) }])),
  '/remember': { POST: setRemember },
  '/sign-out': { POST: logOut },
  '/enroll/app': { GET: showFirstApp, POST: storeFirstApp },
  '/enroll/passkey': { GET: showFirstPasskey, POST: addFirstPasskey },
  '/enroll/passkey/options': { POST: firstPasskeyOptions },
  '/recovery': { GET: offerCodes },
  '/recovery/later': { POST: declineCodes },
  '/passkeys': { GET: offerPasskey },
  '/passkeys/decline': { POST: declinePasskey },
  '/devices': { GET: showDevices },
  '/devices/remove': { POST: removeFactor },
  '/devices/name': { POST: renameDevice },
  '/devices/app': { GET: showApp, POST: storeApp },
  '/devices/passkey': { GET: showNewPasskey, POST: addPasskey },
  '/devices/passkey/options': { POST: newPasskeyOptions },
  '/devices/passkey/name': { POST: renamePasskey },
  '/devices/passkey/remove': { POST: removePasskey },
  '/devices/device': { GET: showDevice, POST: offerDevice },
  '/devices/device/events': { GET: deviceEvents },
  '/devices/device/status': { GET: deviceStatus },
  '/devices/device/cancel': { POST: withdrawDevice },
  '/devices/forget': { POST: forgetBrowsers },
  '/devices/sessions': { POST: endOthers },
  '/devices/codes': { GET: showCodes, POST: makeCodes },
  '/devices/codes/done': { POST: finishCodes },
  '/devices/codes/file': { POST: downloadCodes },
  '/approve/:id': { GET: ofApprovals('showApproval') },
  '/approve/:id/events': { GET: ofApprovals('approvalEvents') },
  '/approve/:id/status': { GET: ofApprovals('approvalStatus') },
  '/approve/:id/again': { POST: ofApprovals('askAgain') },
  '/approve/:id/cancel': { POST: ofApprovals('giveUpApproval') },
  '/approve/:id/passkey/options': { POST: ofApprovals('approvalPasskeyOptions') },
  '/approve/:id/passkey': { POST: ofApprovals('approveWithPasskey') },
}

function sending(factor: SentFactor): Handler {
  return (request) => requestCode(request, factor)
}

/** The handlers of approvals are loaded when one is needed: most apps have none. */
function ofApprovals(name: keyof typeof ApprovalPages): Handler {
  return async (request, signal) => (await import('./approvals/own-pages.ts'))[name](request, signal)
}

/** The route of a path, with `:id` in place of the id of an approval. */
const routeOf = (below: string): string => below.replace(/^\/approve\/[0-9a-f]{40}(?=\/|$)/, '/approve/:id')

/** A tab left over from a challenge that was passed has no request left: it goes where the other tab went. */
function unlessPassed(handler: Handler): Handler {
  return (request, signal) => {
    const next = passedTo(request)
    return next === undefined ? handler(request, signal) : leadTo(request, next)
  }
}

export async function serveRoutes(
  visitor: PageRequest,
  res: FrameworkResponse,
  next: Next,
  below: string,
): Promise<void> {
  const { req, context } = visitor
  await loadLanguageFor(req, context)
  const route = routeOf(below)
  const methods = Object.hasOwn(routes, route) ? routes[route] : undefined
  if (!methods) return apply(visitor, res, message(visitor, 404, 'not_found'))
  // HEAD is answered as GET, without the body (RFC 9110 section 9.3.2).
  const method = req.method === 'HEAD' ? 'GET' : req.method
  const handler = methods[method]
  const allowed = { Allow: Object.keys(methods).join(', ').replace('GET', 'GET, HEAD') }
  if (!handler) return apply(visitor, res, message(visitor, 405, 'not_found', allowed))
  if (method === 'GET' && isTurbo(req)) return apply(visitor, res, message(visitor, 200, 'not_ahead'))
  if (method === 'GET' && isHtmx(req)) return apply(visitor, res, openByHtmx(visitor, below))
  const { user } = context
  if (!user) return apply(visitor, res, message(visitor, 401, 'sign_in_first'))
  const isPost = req.method === 'POST'
  // The fields of a form of the app, which the browser sends on.
  const isOfApp = route === '/approve/:id/again'
  const form = isPost && !isOfApp ? await readForm(req, noticesOf(req, context)) : {}
  if (!form) return
  const request: WebRequest = { ...visitor, user, form, query: queryOf(req) }
  if (isPost && isLeftOver(request, below)) return apply(request, res, message(request, 403, 'cross_site'))
  if (isPost && !isTrusted(request, below)) {
    const events = [{ type: 'post.refused', path: below } as const]
    return apply(request, res, { ...message(request, 403, 'cross_site'), events })
  }
  return serve(request, res, next, carryingOut(handler))
}

/** htmx would put the page into the app's own page. Turbo loads ours as a page by itself, because it says so. */
function openByHtmx({ req, context: { base } }: PageRequest, below: string): Outcome {
  // Not the requested address: below a wildcard, the client chooses its beginning, which could be another host.
  const address = base + (below === '/' ? '' : below) + searchOf(req)
  return { state: 'as-is', answer: { kind: 'json', status: 200, body: {}, headers: { 'HX-Redirect': address } } }
}

/** The warning to the operator about a form that could not be read. */
function noticesOf(req: FrameworkRequest, { mfa: { options } }: RequestContext): FormNotices {
  const name = `${req.method} ${req.baseUrl}${req.path}`
  return {
    // People close pages: this is no error of the app.
    aborted: () => options.logger.debug?.(`mfa: ${name} was aborted before its body was complete`),
    // Without it, every code would just be wrong.
    unreadable: () => warnOnce(options, `${name}: ${unreadableForm}`, 'unreadable form'),
  }
}

const unreadableForm =
  'the body was read before mfa(), and req.body has no fields of a form, so every code is wrong. Put app.use(mfa({ … })) before ' +
  'what reads it, or read forms with app.use(express.urlencoded({ extended: false })).'

/**
 * Whether a page of another user posts, whose tab stayed open: a code that its user types must not count as a wrong one of the user who
 * has signed in since, and nothing of that user is to be removed. Signing out is for whoever is at the browser.
 */
const isLeftOver = ({ user, form }: WebRequest, below: string): boolean =>
  below !== '/sign-out' && isOfOtherUser(form['page'], userKeyOf(user))

function isTrusted(request: WebRequest, below: string): boolean {
  const { req, context, form } = request
  const { publicUrl } = context.mfa.options
  return expectedTokens(request, below).some((expected) =>
    isTrustedPost(req, { token: form['page'], expected, publicUrl }),
  )
}

/** The page of a challenge has the challenge's token, any other page that of the web session; both let users sign out. */
function expectedTokens({ state: { challenge, page } }: WebRequest, below: string): readonly (string | undefined)[] {
  if (below === '/sign-out') return [challenge?.page, page]
  return [/^\/(devices|recovery|passkeys|approve)(\/|$)/.test(below) ? page : challenge?.page]
}
