import { createApproval } from '../contract/approvals.ts'
import { createBypassCode, replaceBypassCodes } from '../contract/bypass-codes.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { createHardwareToken, enrollHardwareToken } from '../contract/hardware.ts'
import { registerPasskey } from '../contract/passkeys.ts'
import { importSession, sendEmailCode } from '../contract/sessions.ts'
import { createUser } from '../contract/users.ts'

/** Calls that create what stays. Other sign-ins have no key: it would cost each of them three statements (decision 0073). */
const keyedCalls: readonly Endpoint[] = [
  createApproval,
  createUser,
  createBypassCode,
  replaceBypassCodes,
  createHardwareToken,
  enrollHardwareToken,
  registerPasskey,
  importSession,
  sendEmailCode,
]

/**
 * A new `Idempotency-Key` for a call that creates something, in quotes as the draft wants it. Services of another make ignore it.
 *
 * @returns undefined for other calls.
 */
export const newIdempotencyKey = (endpoint: Endpoint): string | undefined =>
  keyedCalls.includes(endpoint) ? `"${crypto.randomUUID()}"` : undefined
