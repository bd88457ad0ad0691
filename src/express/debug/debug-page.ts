import type { Request, Response } from 'express'

import { userKeyOf } from '../../challenge/user.ts'
import { resolveAppUser } from '../request/app-user.ts'
import type { Mfa, RequestContext } from '../request/context.ts'
import { findVerified } from '../request/context.ts'
import type { MfaEvent } from '../request/events.ts'
import { englishOf } from '../pages/languages.ts'
import { layoutOf, sendPage } from '../pages/layout.ts'
import { authenticatorUrl } from '../pages/link.ts'
import { publicAddressOf } from '../request/return-to.ts'
import { describe } from '../request/service-outage.ts'
import { detachWebSession } from '../session/web-session.ts'
import { webSessionKey } from './debug.ts'
import type { Debug } from './debug.ts'
import type { LoggedLine, TracedRequest } from './debug-log.ts'
import { debugLimits } from './debug-log.ts'
import { unverifiedWords } from './explain.ts'

/** `GET /mfa/debug`: what was decided about this web session, for whoever writes the app. */
export async function showDebug(
  mfa: Mfa,
  debug: Debug,
  req: Request,
  res: Response,
  requestId: RequestContext['requestId'],
): Promise<void> {
  const { options } = mfa
  const found = await findUser(mfa, req)
  const context: RequestContext = {
    mfa,
    ...publicAddressOf(options.publicUrl, req.baseUrl + options.path),
    user: found.user,
    userKey: found.user && userKeyOf(found.user),
    requestId,
  }
  const own = debug.log.read(webSessionKey(mfa, req))
  const language = englishOf(options.languages)
  const layout = layoutOf(req, context, language)
  const step = verifiedWords(req, context)
  // It only reads, and waits for the service: what this request has loaded must not be stored again.
  detachWebSession(req)
  const service = await serviceState(req, context)
  res.setHeader('Content-Language', language.tag)
  sendPage(res, 200, 'debug', {
    ...layout,
    wide: true,
    headline: 'What mfa() decided',
    state: [
      { name: 'User', value: found.error ?? context.userKey ?? 'nobody is signed in, as the option user says' },
      { name: 'Second step', value: step },
      ...service,
    ].map(({ name, value }) => ({ name, value: debug.redact(value) })),
    requests: own.requests.toReversed().map(showRequest),
    lines: [...debug.log.lines, ...own.lines].map(showLine),
    events: own.events.toReversed().map((event) => showEvent(event, debug.redact)),
    options: debug.options,
    limits: debugLimits,
  })
}

/** The app's own function is what may be wrong: the page says so, and does not fail. */
async function findUser(mfa: Mfa, req: Request) {
  try {
    return { user: await resolveAppUser(req, mfa.options), error: undefined }
  } catch (error) {
    return { user: undefined, error: describe(error) }
  }
}

function verifiedWords(req: Request, context: RequestContext): string {
  const found = findVerified(req, context, context.user)
  if (typeof found === 'string') return `not passed: ${unverifiedWords[found]}`
  return `passed at ${timeOf(found.at)} by ${found.factor}`
}

async function serviceState(req: Request, context: RequestContext) {
  try {
    const { version, baseUrl } = await context.mfa.connect()
    return [
      { name: 'Service', value: `answers, and speaks version ${version}` },
      ...(version === '1.4' ? [{ name: 'Authenticator', value: authenticatorUrl(req, context, baseUrl) }] : []),
    ]
  } catch (error) {
    return [{ name: 'Service', value: describe(error) }]
  }
}

function showRequest({ at, status, userKey, ...request }: TracedRequest) {
  return { ...request, time: timeOf(at), status: status ?? 'not answered yet', user: userKey ?? 'nobody signed in' }
}

function showLine({ level, text }: LoggedLine) {
  return { level: level === 'warning' ? 'Warning' : 'Error', text }
}

function showEvent(
  { at, type, requestId, userKey: _user, address: _address, ...facts }: MfaEvent,
  redact: Debug['redact'],
) {
  const said = Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return { time: timeOf(at), type, requestId, facts: redact(said.join(', ')) }
}

/** As the clock of this machine shows it. */
function timeOf(at: number): string {
  return new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' }).format(at * 1000)
}
