import { randomBytes } from 'node:crypto'
import type { HttpRequest } from '../framework/http-request.ts'
import { onRegenerate } from './web-session.ts'

/** The member of the web session that holds the key. Only with `debug: true`. */
const member = 'mfaDebug'

type WithSession = HttpRequest & { readonly session?: { [member]?: unknown } | null }

/** The key of this web session in the log of the debug page; undefined if it is not recorded yet. */
export function readDebugKey(req: HttpRequest): string | undefined {
  const key = (req as WithSession).session?.[member]
  return typeof key === 'string' ? key : undefined
}

/**
 * The same, and a new random key for a web session that has none. It is in no cookie of its own: the ports of one host share
 * cookies. So it moves with the data of the web session to a new id, and does not outlive them.
 *
 * @param isSignedIn Whether a user was signed in when `mfa()` ran.
 */
export function debugKeyOf(req: HttpRequest, isSignedIn: () => boolean): string {
  const key = readDebugKey(req) ?? randomBytes(16).toString('base64url')
  if (readDebugKey(req) === undefined) store(req, key)
  // A login with Passport keeps no data. Neither does a sign-out, which ends the record.
  onRegenerate(req, () => {
    if (!isSignedIn()) store(req, key)
  })
  return key
}

function store(req: HttpRequest, key: string): void {
  const { session } = req as WithSession
  if (session) session[member] = key
}
