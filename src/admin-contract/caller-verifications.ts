import { z } from 'zod'

import { Domain } from '../contract/domains.ts'
import { endpoint } from '../contract/endpoint.ts'
import { CallState } from '../contract/phone-calls.ts'
import { Id, Seconds } from '../contract/text.ts'

/** A question to a person's device: is this person the one on the phone? */
export const CallerVerification = z.object({
  id: Id,
  user: Id,
  domain: Id,
  /** The key that the device asks for before it confirms, which is the strength of the verification. */
  keyType: Domain.shape.keyType,
  /** The domains of the person in which it counts: those that ask for no more. */
  covers: z.array(Id),
  /** Whether it counts for what counts everywhere, because the person has no stronger device. */
  everywhere: z.boolean(),
  /** The administrator who asks. */
  administrator: Id,
  state: CallState,
  /** The number that the administrator reads out: only for the one who asks, and only while it is pending. */
  number: z.string().optional(),
  createdAt: Seconds,
  expiresAt: Seconds,
  settledAt: Seconds.nullable(),
  /** The time until which the outcome stands; null while it is pending. */
  standsUntil: Seconds.nullable(),
})
export type CallerVerification = z.infer<typeof CallerVerification>

export const verifyCaller = endpoint({
  method: 'POST',
  path: '/admin/domains/:domainId/users/:userId/caller-verifications',
  summary:
    "Asks the person's device whether the person is on the phone with the help desk, and returns the number to read out. No answer signs anyone in.",
  response: CallerVerification,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true, asks: true },
  errors: ['api.error.notfound.token'],
})

export const getCallerVerification = endpoint({
  method: 'GET',
  path: '/admin/domains/:domainId/users/:userId/caller-verifications/:callerVerificationId',
  summary: 'Reads the outcome, which stands for 10 minutes.',
  response: CallerVerification,
  since: '1.4',
  held: true,
  admin: { role: 'helpdesk', scope: 'domain' },
})
