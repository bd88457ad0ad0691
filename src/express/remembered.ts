import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Challenge } from '../challenge/challenge.ts'
import { recogniseBrowser, rememberBrowser } from '../challenge/remembered.ts'
import type { ChallengeRequest } from './challenge-request.ts'
import { goOn } from './challenge-request.ts'
import type { RequestContext } from './context.ts'
import { emit } from './events.ts'
import { readMarker, writeMarker } from './marker-cookie.ts'
import { keep, readKept } from './web-session.ts'

/** How long a web session relies on what the service said of its browser, seconds: so long a change can go unnoticed. */
const reliedOn = 60

/** Whether this web session belongs to a remembered browser of its user. That passes the gate; it verifies nobody. */
export function isRemembered(req: IncomingMessage, { mfa, userKey }: RequestContext): boolean {
  const { remembered } = readKept(req)
  return remembered !== undefined && remembered.userKey === userKey && mfa.options.clock.now() < remembered.until
}

/** The same, where need be by asking the service; where that cannot be asked, nobody is remembered. */
export async function recognise(req: IncomingMessage, res: ServerResponse, context: RequestContext): Promise<boolean> {
  const { user, userKey, mfa } = context
  const { remember, clock, logger } = mfa.options
  const marker = remember ? readMarker(req, context) : undefined
  if (marker === undefined || user === undefined || userKey === undefined) return false
  if (isRemembered(req, context)) return true
  try {
    const until = await recogniseBrowser(await mfa.connect(), user, marker)
    if (until === undefined) {
      writeMarker(req, res, context, gone)
      return false
    }
    const first = readKept(req).remembered === undefined
    await keep(req, { ...readKept(req), remembered: { userKey, until: Math.min(until, clock.now() + reliedOn) } })
    if (first) emit(req, context, { type: 'browser.recognised', until })
    return true
  } catch (error) {
    logger?.warn(`mfa: the browser could not be recognised: ${error instanceof Error ? error.message : String(error)}`)
    return false
  }
}

/** `POST /mfa/remember`: whether to remember this browser, once the second step is passed. */
export async function chooseRemember(request: ChallengeRequest): Promise<void> {
  const { req, context, form } = request
  const { challenge, ...kept } = readKept(req)
  if (challenge) await keep(req, { ...kept, challenge: { ...challenge, remember: form['remember'] === 'yes' } })
  goOn(request, form['to'] === 'code' ? `${context.base}?use=code` : context.base)
}

/** After the second step: the browser gets its marker, where that was wanted. What goes wrong costs nobody their way in. */
export async function rememberIfWanted(request: ChallengeRequest, challenge: Challenge): Promise<void> {
  const { req, res, context, user } = request
  const { remember, clock, logger } = context.mfa.options
  if (!remember || !challenge.remember) return
  try {
    const made = await rememberBrowser(await context.mfa.connect(), user, remember.days)
    if (!made) return
    const { marker, expiresAt: until } = made
    writeMarker(req, res, context, { marker, seconds: until - clock.now() })
    emit(req, context, { type: 'browser.remembered', until })
  } catch (error) {
    logger?.warn(`mfa: the browser was not remembered: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Takes the marker of this very browser away. */
export async function forgetThisBrowser({ req, res, context }: ChallengeRequest): Promise<void> {
  writeMarker(req, res, context, gone)
  await keep(req, { ...readKept(req), remembered: undefined })
}

const gone = { marker: '', seconds: 0 } as const
