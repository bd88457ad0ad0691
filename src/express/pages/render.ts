import { fileURLToPath } from 'node:url'

import { Eta } from 'eta'
import type { Request, Response } from 'express'
import { encodeQR } from 'qr'

import type { Challenge } from '../../challenge/challenge.ts'
import type { Standing } from '../../challenge/flow.ts'
import { noStore, sendJson, wantsJson } from '../answer.ts'
import type { RequestContext } from '../context.ts'
import { assetPath } from './assets.ts'
import { authenticatorLink } from './link.ts'
import type { Message } from './messages.ts'
import * as words from './messages.ts'

const eta = new Eta({ views: fileURLToPath(new URL('views', import.meta.url)), cache: true })

/** The page of a challenge. */
export function showStanding(
  req: Request,
  res: Response,
  context: RequestContext,
  { challenge, standing, baseUrl }: { challenge: Challenge; standing: Standing; baseUrl: string },
): void {
  const common = { ...layoutOf(req, context), token: challenge.page }
  if (standing.kind === 'waiting') {
    const { clock } = context.mfa.options
    return send(res, 200, 'waiting', {
      ...common,
      live: true,
      headline: challenge.purpose === 'step_up' ? words.waiting.stepUp : words.waiting.signIn,
      words: words.waiting,
      number: standing.number,
      left: standing.expiresAt - clock.now(),
      age: clock.now() - standing.createdAt,
    })
  }
  if (standing.kind === 'enrolling') {
    const link = authenticatorLink(req, context, baseUrl, standing.code)
    return send(res, 200, 'enrolling', {
      ...common,
      live: true,
      headline: words.enrolling.headline,
      words: words.enrolling,
      code: standing.code.replace(/^(.{5})/, '$1 '),
      link,
      qr: encodeQR(link, 'svg', { border: 2 }),
    })
  }
  if (standing.kind === 'approved')
    return sendMessage(res, 200, { ...common, live: true, settled: true }, words.approved, 'complete')
  const message = standing.kind === 'ended' ? words.ended[standing.reason] : words.messages[standing.kind]
  return sendMessage(res, 200, common, message, 'send')
}

/** A page that is not about a challenge. */
export function showMessage(
  req: Request,
  res: Response,
  context: RequestContext,
  status: number,
  name: keyof typeof words.messages,
): void {
  const message: Message = words.messages[name]
  if (wantsJson(req)) return sendJson(res, status, { error: name, message: `${message.headline}. ${message.sentence}` })
  const target = name === 'cross_site' ? context.base : '/'
  sendMessage(res, status, layoutOf(req, context), message, undefined, target)
}

/** 503: nobody was let in, and another try makes sense soon. */
export function showUnavailable(req: Request, res: Response, context: RequestContext): void {
  res.setHeader('Retry-After', '5')
  const message = words.messages.unavailable
  if (wantsJson(req))
    return sendJson(res, 503, { error: 'unavailable', message: `${message.headline}. ${message.sentence}` })
  sendMessage(res, 503, layoutOf(req, context), message, undefined, context.base)
}

function sendMessage(
  res: Response,
  status: number,
  layout: object,
  message: Message,
  action?: string,
  target?: string,
): void {
  send(res, status, 'message', { ...layout, ...message, message, action, target })
}

function layoutOf(req: Request, context: RequestContext) {
  const { base, user, mfa } = context
  return {
    base,
    appName: mfa.options.appName,
    style: assetPath(base, '/assets/style.css'),
    script: assetPath(base, '/assets/challenge.js'),
    username: user?.username ?? user?.name,
    // The router strips the mount prefix; the browser needs it.
    logoutPath: mfa.options.logoutPath,
    footer: words.footer,
    offline: words.offline,
    timeLeft: words.timeLeft,
    live: false,
    settled: false,
    token: '',
    method: req.method,
  }
}

function send(res: Response, status: number, view: string, data: object): void {
  noStore(res)
  res.statusCode = status
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.setHeader('Content-Security-Policy', contentSecurityPolicy)
  res.setHeader('X-Frame-Options', 'DENY')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Referrer-Policy', 'no-referrer')
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  res.end(eta.render(view, data))
}

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')
