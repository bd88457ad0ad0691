import { z } from 'zod'

import { endpoint } from '../contract/endpoint.ts'
import { Id, Seconds } from '../contract/text.ts'
import { Because } from './because.ts'

/** How long another administrator has to decide, and the requester to use the consent, seconds. */
export const consentLifetime = 15 * 60

/** The parameters of an operation: the fields of its path and body, without the person, the reason and secrets. */
export const ConsentParameters = z.record(z.string().max(64), z.union([z.string().max(320), z.number()]))
export type ConsentParameters = z.infer<typeof ConsentParameters>

/** An action on a person that one administrator asks another one to consent to. */
export const Consent = z.object({
  id: Id,
  /** The name of the operation, such as `resetPerson`. */
  operation: z.string(),
  person: z.object({ id: Id, username: z.string(), name: z.string() }),
  parameters: ConsentParameters,
  /** The domains in which the action counts, as far as the caller may see them. */
  domains: z.array(z.object({ id: Id, name: z.string() })),
  /** The name of the passkey that the action deletes. */
  passkey: z.string().optional(),
  requestedBy: z.object({ id: Id, name: z.string() }),
  because: Because,
  /** `void`: something has changed since, so that nobody can give or use it. */
  state: z.enum(['pending', 'given', 'denied', 'used', 'void']),
  /** Whether the caller may give it. */
  givable: z.boolean(),
  /** Whether the caller may deny it: until it is used, also after another administrator has given it. */
  deniable: z.boolean(),
  createdAt: Seconds,
  expiresAt: Seconds,
})
export type Consent = z.infer<typeof Consent>

export const requestConsent = endpoint({
  method: 'POST',
  path: '/admin/people/:userId/consents',
  summary:
    'Asks another administrator to consent to one action on a person, with exactly these parameters, within 15 minutes. Takes the place of an open request of the caller about the same person.',
  body: z.object({ operation: z.string().max(64), parameters: ConsentParameters.default({}), because: Because }),
  response: Consent,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true, asks: true },
  errors: ['api.error.notfound.domain', 'api.error.forbidden.elsewhere'],
})

export const listConsents = endpoint({
  method: 'GET',
  path: '/admin/consents',
  summary: 'Lists the requests for consent that have not expired, newest first, at most 200.',
  response: z.array(Consent),
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain' },
})

export const giveConsent = endpoint({
  method: 'POST',
  path: '/admin/consents/:consentId/give',
  summary:
    'Consents to an action of another administrator: it can be done once, with exactly the parameters that the request shows, until the request expires.',
  response: Consent,
  since: '1.4',
  admin: { role: 'admin', scope: 'domain', fresh: true },
  errors: ['api.error.conflict.state', 'api.error.forbidden.own'],
})

export const denyConsent = endpoint({
  method: 'POST',
  path: '/admin/consents/:consentId/deny',
  summary: 'Denies an action of another administrator, until it is done: also after others have consented to it.',
  response: Consent,
  since: '1.4',
  admin: { role: 'admin', scope: 'domain', fresh: true },
  errors: ['api.error.conflict.state'],
})
