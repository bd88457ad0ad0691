/**
 * What a device is asked while its user is on the phone with the help desk: "Did you call the help desk?" It is not a session,
 * and no answer to it is a sign-in.
 */
import { z } from 'zod'

import { Pin } from './pin.ts'
import { ShownUser } from './shown-user.ts'
import { Id, Random128, Seconds } from './text.ts'

/** How long an outcome stands, seconds. */
export const callOutcomeStands = 10 * 60

/** How long the help desk cannot act on a person who answered No, seconds. */
export const callBlockLength = 24 * 60 * 60

/** `denied`: the person did not call. `reported`: the person says that it is an attack. */
export const CallState = z.enum(['pending', 'confirmed', 'denied', 'reported', 'wrong_number', 'expired'])
export type CallState = z.infer<typeof CallState>

/** A call to the help desk that the person is asked to confirm, as the device sees it; without the number. */
export const PhoneCall = z.object({
  id: Id,
  nonce: Random128,
  domain: z.object({ id: Id, name: z.string() }),
  user: ShownUser,
  /** How many digits the help desk reads out. */
  numberLength: z.int(),
  createdAt: Seconds,
  expiresAt: Seconds,
})
export type PhoneCall = z.infer<typeof PhoneCall>

export const CallDecision = z.enum(['confirm', 'deny', 'report'])
export type CallDecision = z.infer<typeof CallDecision>

export const CallAnswerRequest = z.object({
  nonce: Random128,
  decision: CallDecision,
  /** The number that the person heard and typed; only to confirm. */
  number: z.string().max(12).optional(),
  /** Only to confirm in domains with a PIN or passcode. The call stays pending after a wrong one. */
  pin: Pin.optional(),
  /** Identifies the attempt: if the response is lost and the same attempt is sent again, it counts once. */
  attempt: Random128.optional(),
})
export type CallAnswerRequest = z.input<typeof CallAnswerRequest>

export const CallAnswered = z.object({ id: Id, state: CallState })
export type CallAnswered = z.infer<typeof CallAnswered>

/** A call that this device answered. */
export const CallEntry = PhoneCall.pick({ id: true, domain: true, user: true, createdAt: true }).extend({
  state: CallState,
  settledAt: Seconds,
})
export type CallEntry = z.infer<typeof CallEntry>
