import { randomBytes } from 'node:crypto'

import type { Request, Response } from 'express'

import type { Mfa } from '../request/context.ts'
import { debugCookie } from '../session/id-cookie.ts'
import type { MfaOptions } from '../mfa-options.ts'
import type { ResolvedOptions } from '../options.ts'
import { publicAddressOf } from '../request/return-to.ts'
import { readMfaState } from '../session/web-session.ts'
import { createDebugLog } from './debug-log.ts'
import type { DebugLog } from './debug-log.ts'
import type { Trace } from '../request/trace.ts'
import { createRedactor, shownOptions } from './shown-options.ts'
import type { ShownOption } from './shown-options.ts'

/** The additions of `debug: true`. */
export interface Debug {
  readonly log: DebugLog
  readonly options: readonly ShownOption[]
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string
}

/** @returns the options with a logger that records for the debug page; without `debug: true`, the options as they are. */
export function withDebug(
  given: MfaOptions,
  resolved: ResolvedOptions,
): { readonly options: ResolvedOptions; readonly debug?: Debug } {
  if (!resolved.debug) return { options: resolved }
  const redact = createRedactor(given, process.env)
  const log = createDebugLog(redact)
  const options = Object.freeze({ ...resolved, logger: log.listen(resolved.logger) })
  return { options, debug: { log, redact, options: shownOptions(given, resolved) } }
}

/**
 * Records a request to its end, when the web session may have a new id: after a login, and after the second step. The record
 * moves to the new id only if the user is still the same or has just signed in, and so never past a sign-out.
 */
export function followRequest(mfa: Mfa, { log }: Debug, req: Request, res: Response, requestId: string): Trace {
  const key = webSessionKey(mfa, req) ?? newKey(mfa, req, res)
  const [path = ''] = req.originalUrl.split('?', 1)
  const followed = log.begin(key, { at: mfa.options.clock.now(), method: req.method, path, requestId })
  let userKey: string | undefined
  res.once('close', () => {
    const isSameUser = userKey === undefined || readMfaState(req).ownId?.userKey === userKey
    followed.end(res.statusCode, isSameUser ? sessionIdOf(req) : undefined)
  })
  return {
    ...followed.trace,
    isOf(now) {
      userKey = now
      followed.trace.isOf(now)
    },
  }
}

/** The key of this web session in the log; undefined if it is not recorded yet. */
export function webSessionKey(mfa: Mfa, req: Request): string | undefined {
  return sessionIdOf(req) ?? debugCookie.read(req, cookieContext(mfa, req))
}

function newKey(mfa: Mfa, req: Request, res: Response): string {
  const id = randomBytes(16).toString('base64url')
  const cookies = debugCookie.write(req, cookieContext(mfa, req), { id, seconds: 43_200 })
  for (const cookie of cookies) res.appendHeader('Set-Cookie', cookie)
  return id
}

const cookieContext = (mfa: Mfa, req: Request) => ({
  mfa,
  ...publicAddressOf(mfa.options.publicUrl, req.baseUrl + mfa.options.path),
})

/** Of express-session. */
function sessionIdOf(req: Request): string | undefined {
  const { sessionID } = req as { readonly sessionID?: unknown }
  return typeof sessionID === 'string' ? sessionID : undefined
}
