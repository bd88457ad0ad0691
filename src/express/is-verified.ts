import type { IncomingMessage } from 'node:http'

import { contextOf, verifiedOf } from './context.ts'

/** Whether the person behind this request has passed the second step. False where mfa() has not run. */
export function isVerified(req: IncomingMessage): boolean {
  const context = contextOf(req)
  return context !== undefined && verifiedOf(req, context, context.user) !== undefined
}
