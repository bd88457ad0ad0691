import { z } from 'zod'

import { endpoint } from '../endpoint.ts'
import { Id, Seconds } from '../text.ts'
import { Because } from './because.ts'

/** How long another administrator has to decide, and the requester to use the consent, seconds. */
export const consentLifetime = 15 * 60

/** A guarded action that the help desk asks another administrator to consent to. */
export const Consent = z.object({
  id: Id,
  /** The name of the operation, such as `resetPerson`. */
  operation: z.string(),
  person: z.object({ id: Id, username: z.string(), name: z.string() }),
  requestedBy: z.object({ id: Id, name: z.string() }),
  because: Because,
  state: z.enum(['pending', 'given', 'denied', 'used']),
  /** Whether the caller may decide. */
  decidable: z.boolean(),
  createdAt: Seconds,
  expiresAt: Seconds,
})
export type Consent = z.infer<typeof Consent>

export const requestConsent = endpoint({
  method: 'POST',
  path: '/admin/people/:userId/consents',
  summary: 'Asks another administrator to consent to one guarded action on a person, within 15 minutes.',
  body: z.object({ operation: z.string().max(64), because: Because }),
  response: Consent,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true },
  errors: ['api.error.invalid.operation'],
})

export const listConsents = endpoint({
  method: 'GET',
  path: '/admin/consents',
  summary: 'Lists the requests for consent that have not expired, newest first.',
  response: z.array(Consent),
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain' },
})

export const giveConsent = endpoint({
  method: 'POST',
  path: '/admin/consents/:consentId/give',
  summary:
    'Consents to an action that another administrator requested: it can be done once, until the request expires.',
  response: Consent,
  since: '1.4',
  admin: { role: 'admin', scope: 'domain', fresh: true },
  errors: ['api.error.conflict.state', 'api.error.forbidden.own'],
})

export const denyConsent = endpoint({
  method: 'POST',
  path: '/admin/consents/:consentId/deny',
  summary: 'Denies an action that another administrator requested.',
  response: Consent,
  since: '1.4',
  admin: { role: 'admin', scope: 'domain', fresh: true },
  errors: ['api.error.conflict.state', 'api.error.forbidden.own'],
})
