import type { IncomingMessage } from 'node:http'

import type { Challenge } from '../../challenge/challenge.ts'
import { readRememberedUntil } from '../../challenge/known-browser.ts'
import { isBeforeEnd } from '../../clock.ts'
import type { KnownBrowser } from '../../contract/browsers.ts'
import type { PassedBrowser } from '../../contract/sessions.ts'
import { browserCookie } from '../session/id-cookie.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import { continueAt } from '../request/web-request.ts'
import type { RequestContext } from '../request/context.ts'
import { emit } from '../request/events.ts'
import { logFailure } from '../request/service-outage.ts'
import { saveMfaState, readMfaState } from '../session/web-session.ts'

/** How long a web session relies on what the service said of its browser, seconds: so long a change can go unnoticed. */
const recognizedFor = 60

/** Whether this web session belongs to a remembered browser of its user. That passes the gate; it verifies nobody. */
export function isRemembered(req: IncomingMessage, { mfa, userKey }: RequestContext): boolean {
  const { remembered } = readMfaState(req)
  if (remembered === undefined || remembered.userKey !== userKey) return false
  return isBeforeEnd(remembered.until, recognizedFor, mfa.options.clock.now())
}

/** The same, where need be by asking the service; where that cannot be asked, nobody is remembered. */
export async function recognize(req: IncomingMessage, context: RequestContext): Promise<boolean> {
  const { user, userKey, mfa } = context
  const { remember, clock } = mfa.options
  const browser = remember ? browserCookie.read(req, context) : undefined
  if (browser === undefined || user === undefined || userKey === undefined) return false
  if (isRemembered(req, context)) return true
  try {
    const until = await readRememberedUntil(await mfa.connect(), user, browser)
    // It stays as it is: it may be one of somebody else who uses the same browser.
    if (until === undefined) return false
    const first = readMfaState(req).remembered === undefined
    await saveMfaState(req, {
      ...readMfaState(req),
      remembered: { userKey, until: Math.min(until, clock.now() + recognizedFor) },
    })
    if (first) emit(req, context, { type: 'browser.recognised', until })
    return true
  } catch (error) {
    logFailure(context, 'the browser could not be recognised', error)
    return false
  }
}

/** `POST /mfa/remember`: whether to remember this browser, once the second step is passed. */
export async function setRemember(request: ChallengeRequest): Promise<void> {
  const { req, context, form } = request
  const { challenge, ...kept } = readMfaState(req)
  if (challenge) await saveMfaState(req, { ...kept, challenge: { ...challenge, remember: form['remember'] === 'yes' } })
  continueAt(request, form['to'] === 'code' ? `${context.base}?use=code` : context.base)
}

/** What the service is told of the browser at the pass: which it is, and whether it is to be remembered. */
export function passedBrowser({ req, context }: ChallengeRequest, challenge: Challenge): PassedBrowser {
  const { remember } = context.mfa.options
  return {
    id: browserCookie.read(req, context),
    ...(remember && challenge.remember && { rememberDays: remember.days }),
  }
}

/** After the second step: the browser is known from now on, and remembered where that was wanted. */
export function rememberBrowser(
  { req, res, context }: ChallengeRequest,
  challenge: Challenge,
  known: KnownBrowser,
): void {
  const { id, expiresAt, rememberedUntil } = known
  browserCookie.write(req, res, context, { id, seconds: expiresAt - context.mfa.options.clock.now() })
  if (!challenge.remember || rememberedUntil === undefined) return
  emit(req, context, { type: 'browser.remembered', until: rememberedUntil })
}

/** This web session relies no longer on what the service said of its browser. */
export async function forgetThisBrowser({ req }: ChallengeRequest): Promise<void> {
  await saveMfaState(req, { ...readMfaState(req), remembered: undefined })
}
