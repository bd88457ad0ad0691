import { hash } from 'node:crypto'
import type { HttpRequest } from '../framework/http-request.ts'
import type { Challenge } from '../../challenge/challenge.ts'
import { readRemembered } from '../../challenge/known-browser.ts'
import type { Membership } from '../../challenge/passkey-policy.ts'
import { isBeforeEnd } from '../../ground/clock.ts'
import { resistanceIn } from '../../challenge/policy.ts'
import { BrowserKey } from '../../contract/browser-key.ts'
import type { KnownBrowser } from '../../contract/browsers.ts'
import { countsUnder, requestedPolicy } from '../../contract/phishing-resistance.ts'
import type { PassedBrowser } from '../../contract/sessions.ts'
import { appOriginOf } from '../request/app-origin.ts'
import { browserName, clientAddress, placeAttributes } from '../request/client-facts.ts'
import type { RequestContext } from '../request/context.ts'
import type { Effects, Outcome } from '../request/outcome.ts'
import { continueAt } from '../request/outcome.ts'
import { logFailure } from '../request/service-outage.ts'
import type { WebRequest } from '../request/web-request.ts'
import { browserCookie, keptCookie } from '../session/id-cookie.ts'
import type { MfaState } from '../session/mfa-state.ts'
import { challengePolicy, needsOnlyPasskey } from './challenge-policy.ts'

/** How long a web session relies on a recognized browser, seconds: a change may go unnoticed for as long. */
const recognizedFor = 60

/**
 * Whether the request comes from a browser of its user that was recognized under this policy. Such a user passes the gate and is
 * not verified.
 */
export function isRemembered(req: HttpRequest, { remembered }: MfaState, context: RequestContext): boolean {
  const { mfa, userKey } = context
  if (!mfa.options.remember || remembered === undefined || remembered.userKey !== userKey) return false
  // Another browser can send the same web session, whose id an attacker may have planted.
  const browser = browserCookie.read(req, context)
  if (browser === undefined || remembered.browser !== hashOf(browser)) return false
  const { phishingResistant } = remembered
  if (!countsUnder(resistanceIn(mfa.policy, false), { factor: null, phishingResistant })) return false
  return isBeforeEnd(remembered.until, recognizedFor, mfa.options.clock.now())
}

const hashOf = (browser: string): string => hash('sha256', browser, 'base64url')

/**
 * Whether the browser is remembered, if necessary by asking the service; a browser that cannot be checked is not.
 *
 * @returns what to apply if it is; undefined if it is not.
 */
export async function recognize(request: WebRequest): Promise<Effects | undefined> {
  const { req, context, user, state } = request
  const { userKey, mfa } = context
  const { remember, clock } = mfa.options
  const browser = remember ? browserCookie.read(req, context) : undefined
  if (browser === undefined || userKey === undefined) return undefined
  if (isRemembered(req, state, context)) return { state: 'as-is' }
  try {
    // Where only a passkey counts, the browser may have been remembered after another factor.
    const policy = challengePolicy(request)
    const passes = (membership: Membership) => !needsOnlyPasskey(policy, membership)
    const recognition = await readRemembered(await mfa.connect(), user, browser, passes)
    // The cookie stays: it may belong to another user of the same browser.
    if (recognition === undefined) return undefined
    const until = recognition.rememberedUntil
    const phishingResistant = requestedPolicy(policy.resistanceHere)
    const untilAsked = Math.min(until, clock.now() + recognizedFor)
    const remembered = { userKey, browser: hashOf(browser), until: untilAsked, phishingResistant }
    const isFirst = state.remembered === undefined
    const isFormer = browserCookie.hasFormerName(req, context)
    return {
      state: { save: { ...state, remembered } },
      cookies: isFormer
        ? browserCookie.write(req, context, { id: browser, seconds: recognition.expiresAt - clock.now() })
        : [],
      events: isFirst ? [{ type: 'browser.recognized', until }] : [],
    }
  } catch (error) {
    logFailure(context, 'the browser could not be recognized', error)
    return undefined
  }
}

/** `POST /mfa/remember`: whether to remember this browser once the second step is passed. */
export function setRemember(request: WebRequest): Outcome {
  const { state, context, form } = request
  const { challenge } = state
  return {
    state: challenge ? { save: { ...state, challenge: withChoice(challenge, form) } } : 'as-is',
    answer: continueAt(request, context.base),
  }
}

/** The challenge with the user's choice. @param form The fields of a form that has the checkbox. */
export function withChoice(challenge: Challenge, form: WebRequest['form']): Challenge {
  return { ...challenge, remember: form['remember'] === 'yes' }
}

/** The facts about the browser for the service: its id, and whether to remember it. */
export function passedBrowser({ req, context }: WebRequest, challenge: Challenge): PassedBrowser {
  const { remember } = context.mfa.options
  return {
    id: browserCookie.read(req, context),
    name: browserName(req),
    ...(remember && challenge.remember && { rememberDays: remember.days }),
  }
}

/** The key of the page. The service keeps it only if the user said so on the device, or passed with a passkey. */
export function offeredKey(request: WebRequest): Pick<PassedBrowser, 'publicKey'> {
  const { data: publicKey } = BrowserKey.safeParse(request.form['browserKey'])
  return publicKey === undefined || appOriginOf(request) === undefined ? {} : { publicKey }
}

/** The place of a browser that a passkey is about to keep. With a push request, the service knows it already. */
export async function placeToKeep(request: WebRequest): Promise<string | undefined> {
  const { req, context } = request
  const isKept = keptCookie.read(req, context) !== undefined
  if (isKept || offeredKey(request).publicKey === undefined) return undefined
  const [place] = await placeAttributes(context.mfa.options, clientAddress(req))
  return place?.value
}

/** After the second step the browser is known, and remembered or kept if the user wanted that. */
export function rememberBrowser(
  { req, context }: WebRequest,
  challenge: Challenge,
  { id, expiresAt, rememberedUntil, keptUntil }: KnownBrowser,
): Required<Pick<Effects, 'cookies' | 'events'>> {
  const now = context.mfa.options.clock.now()
  const isWanted = challenge.remember && rememberedUntil !== undefined
  const isNewlyKept = keptUntil !== undefined && keptCookie.read(req, context) === undefined
  return {
    cookies: [
      ...browserCookie.write(req, context, { id, seconds: expiresAt - now }),
      // It only says that there is a key, so any value would do.
      ...(keptUntil === undefined ? [] : keptCookie.write(req, context, { id, seconds: keptUntil - now })),
    ],
    events: [
      ...(isWanted ? [{ type: 'browser.remembered', until: rememberedUntil } as const] : []),
      ...(isNewlyKept ? [{ type: 'browser.kept', until: keptUntil } as const] : []),
    ],
  }
}
