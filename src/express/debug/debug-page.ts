import type { FrameworkRequest } from '../framework/request.ts'
import { userKeyOf } from '../../challenge/user.ts'
import { resolveAppUser } from '../request/app-user.ts'
import type { Mfa, RequestContext } from '../request/context.ts'
import { wantsJson } from '../request/navigation.ts'
import type { Outcome } from '../request/outcome.ts'
import { json } from '../request/outcome.ts'
import { findVerified } from '../request/verified.ts'
import type { MfaEvent } from '../options/mfa-event.ts'
import { englishOf } from '../options/languages.ts'
import { layoutOf, page } from '../pages/layout.ts'
import type { PageRequest } from '../pages/layout.ts'
import { authenticatorUrl } from '../pages/link.ts'
import { publicAddressOf } from '../request/return-to.ts'
import { describe } from '../request/service-outage.ts'
import { readDebugKey } from '../session/debug-key.ts'
import { readMfaState } from '../session/session-state.ts'
import type { Debug } from './debug.ts'
import type { LoggedLine, DebugRecord, TracedRequest } from './debug-log.ts'
import { debugLimits } from './debug-log.ts'
import { unverifiedWords } from './explain.ts'

/** A request of a developer for the debug page: also without a user, and also where finding the user fails. */
export interface DebugRequest extends PageRequest {
  readonly debug: Debug
  /** The error of the app's option `user`. */
  readonly failure: string | undefined
}

export async function debugRequest(
  mfa: Mfa,
  debug: Debug,
  req: FrameworkRequest,
  requestId: RequestContext['requestId'],
): Promise<DebugRequest> {
  const { options } = mfa
  const { user, failure } = await findUser(mfa, req)
  const address = publicAddressOf(options.publicUrl, req.baseUrl + options.path)
  const context: RequestContext = { mfa, ...address, user, userKey: user && userKeyOf(user), requestId }
  return { req, context, state: readMfaState(req), debug, failure }
}

/** `GET /mfa/debug`: what was decided about this web session, for the developers of the app. */
export function debugPage(request: DebugRequest): Outcome {
  // The page only reads, and waits for the service: it must not save what this request has loaded.
  const recorded = request.debug.log.read(readDebugKey(request.req))
  return { state: 'detach', answer: { kind: 'continue', run: () => showDebug(request, recorded) } }
}

async function showDebug(request: DebugRequest, record: DebugRecord): Promise<Outcome> {
  const { req, context, debug, failure } = request
  const { options } = context.mfa
  const layout = layoutOf(request, englishOf(options.languages))
  const service = await serviceState(req, context)
  const state = [
    { name: 'User', value: failure ?? context.userKey ?? 'no user is signed in, as the option user says' },
    { name: 'Second step', value: verifiedWords(request) },
    ...service,
  ].map(({ name, value }) => ({ name, value: debug.redact(value) }))
  // The command `doctor` reads it.
  if (wantsJson(req)) return { state: 'as-is', answer: json(200, { state, publicUrl: options.publicUrl }) }
  const answer = page(200, 'debug', {
    ...layout,
    wide: true,
    headline: 'What mfa() decided',
    state,
    requests: record.requests.toReversed().map(showRequest),
    lines: [...debug.log.lines, ...record.lines].map(showLine),
    events: record.events.toReversed().map((event) => showEvent(event, debug.redact)),
    options: debug.options,
    limits: debugLimits,
  })
  return { state: 'as-is', answer }
}

/** The app's own function may be what is wrong: then the page says so instead of failing. */
async function findUser(mfa: Mfa, req: FrameworkRequest) {
  try {
    return { user: await resolveAppUser(req, mfa.options), failure: undefined }
  } catch (error) {
    return { user: undefined, failure: describe(error) }
  }
}

function verifiedWords({ state, context }: DebugRequest): string {
  const verdict = findVerified(state, context)
  if (typeof verdict === 'string') return `not passed: ${unverifiedWords[verdict]}`
  return `passed at ${timeOf(verdict.at)} by ${verdict.factor}`
}

async function serviceState(req: FrameworkRequest, context: RequestContext) {
  try {
    const { version, baseUrl, hasAuthenticator } = await context.mfa.connect()
    return [
      { name: 'Service', value: `answers, and speaks version ${version}` },
      ...(hasAuthenticator ? [{ name: 'Authenticator', value: authenticatorUrl(req, context, baseUrl) }] : []),
    ]
  } catch (error) {
    return [{ name: 'Service', value: describe(error) }]
  }
}

function showRequest({ at, status, userKey, ...request }: TracedRequest) {
  return { ...request, time: timeOf(at), status: status ?? 'not answered yet', user: userKey ?? 'no user' }
}

function showLine({ level, text }: LoggedLine) {
  return { level: level === 'warning' ? 'Warning' : 'Error', text }
}

function showEvent(
  { at, type, requestId, userKey: _user, address: _address, ...facts }: MfaEvent,
  redact: Debug['redact'],
) {
  const factTexts = Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return { time: timeOf(at), type, requestId, facts: redact(factTexts.join(', ')) }
}

/** Formats a time in the time zone of this machine. */
function timeOf(at: number): string {
  return new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' }).format(at * 1000)
}
