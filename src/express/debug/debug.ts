import type { FrameworkRequest } from '../framework/request.ts'
import type { FrameworkResponse } from '../framework/response.ts'
import type { Mfa } from '../request/context.ts'
import type { MfaOptions } from '../options/mfa-options.ts'
import type { ResolvedOptions } from '../options/options.ts'
import { debugKeyOf } from '../session/debug-key.ts'
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
  appOptions: MfaOptions,
  resolved: ResolvedOptions,
): { readonly options: ResolvedOptions; readonly debug?: Debug } {
  if (!resolved.debug) return { options: resolved }
  const redact = createRedactor(appOptions, process.env)
  const log = createDebugLog(redact)
  const options = Object.freeze({ ...resolved, logger: log.listen(resolved.logger) })
  return { options, debug: { log, redact, options: shownOptions(appOptions, resolved) } }
}

/** Records a request to its end. */
export function followRequest(
  mfa: Mfa,
  { log }: Debug,
  req: FrameworkRequest,
  res: FrameworkResponse,
  requestId: string,
): Trace {
  let userKey: string | undefined
  const key = debugKeyOf(req, () => userKey !== undefined)
  const [path = ''] = req.originalUrl.split('?', 1)
  const followed = log.begin(key, { at: mfa.options.clock.now(), method: req.method, path, requestId })
  res.raw.once('close', () => followed.end(res.raw.statusCode))
  return {
    ...followed.trace,
    isOf(now) {
      userKey = now
      followed.trace.isOf(now)
    },
  }
}
