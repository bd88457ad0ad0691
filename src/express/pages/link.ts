import type { Request } from 'express'

import type { RequestContext } from '../context.ts'

/**
 * What sets up the authenticator. The code travels in the fragment, which browsers keep to themselves: it reaches no log.
 * The address is configured, or this machine's own: never what a Host header says, as people follow it with a code.
 */
export function authenticatorLink(req: Request, { base, mfa }: RequestContext, code: string): string {
  const { authenticatorUrl, publicUrl } = mfa.options
  const origin = publicUrl ?? `http://localhost:${req.socket.localPort ?? 80}`
  return `${authenticatorUrl ?? `${origin}${base}/authenticator`}/#code=${code}`
}
