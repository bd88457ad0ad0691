import { fileURLToPath } from 'node:url'

import { Eta } from 'eta'
import type { Request, Response } from 'express'

import { noStore } from '../request/answer.ts'
import type { RequestContext } from '../request/context.ts'
import { readMfaState } from '../session/web-session.ts'
import { assetPath } from './assets.ts'
import { languageOf } from './languages.ts'
import type { Language } from './languages.ts'
import type { Messages } from './messages/en.ts'

const eta = new Eta({ views: fileURLToPath(new URL('views', import.meta.url)), cache: true })

/** What every page has around it. */
export interface Layout {
  readonly base: string
  /** Where the script asks for changes, and the page reloads; by default the challenge. */
  readonly liveBase?: string
  readonly language: Language
  /** All that it says. */
  readonly words: Messages
  /** Whether the page's script runs, and without script the page reloads. */
  readonly live?: boolean
  /** Whether the script completes at once. */
  readonly settled?: boolean
  /** Whether somebody types here: then nothing reloads. */
  readonly typing?: boolean
  /** Of the forms of this page. */
  readonly token?: string
  /** Whether it needs more room than a card has. */
  readonly wide?: boolean
}

/** @param language Where it is not for the person to say. */
export function layoutOf(req: Request, context: RequestContext, language = languageOf(req, context)) {
  const { base, user, mfa } = context
  const { words } = language
  const { appName = words.appName } = mfa.options
  return {
    base,
    language,
    words,
    appName,
    initial: firstLetter(appName),
    logo: mfa.options.logo,
    style: assetPath(base, '/assets/style.css', mfa.options),
    script: assetPath(base, '/assets/challenge.js', mfa.options),
    username: user?.username ?? user?.name,
    signOut: signOutOf(context),
    live: false,
    still: 'still' in req.query,
    settled: false,
    typing: false,
    token: tokenOf(req),
    method: req.method,
  } satisfies Layout & Record<string, unknown>
}

/** Where "Sign out" leads, and how. */
function signOutOf({ base, prefix, mfa: { options } }: RequestContext) {
  const { logout, logoutPath, logoutMethod } = options
  if (logout) return { address: `${base}/sign-out`, isOurs: true, isLink: false }
  if (logoutPath === undefined) return undefined
  return { address: prefix + logoutPath, isOurs: false, isLink: logoutMethod === 'GET' }
}

/** Of a page that has no token of its own: its "Sign out" needs one as well. */
function tokenOf(req: Request): string {
  const { challenge, page } = readMfaState(req)
  return challenge?.page ?? page ?? ''
}

/** As people see it: of an accent or an emoji all parts. */
function firstLetter(name: string): string {
  const [first] = new Intl.Segmenter().segment(name)
  return first?.segment ?? ''
}

export function sendPage(
  res: Response,
  status: number,
  view: string,
  data: Layout & Readonly<Record<string, unknown>>,
): void {
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
