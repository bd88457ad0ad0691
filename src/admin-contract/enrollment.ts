import { z } from 'zod'

import { endpoint } from '../contract/endpoint.ts'
import { Seconds } from '../contract/text.ts'
import { Email } from '../contract/users.ts'
import { Reasoned } from './because.ts'
import { linkDays } from './link-days.ts'
import { Person } from './people.ts'

/** An e-mail address that was changed within this time is not settled: the help desk mails no link there by itself. Seconds. */
export const addressSettlesIn = 7 * 24 * 60 * 60

const days = z.int().min(1).max(linkDays.max).default(linkDays.usual)

/** The link that sets up a device. */
export const EnrollmentLink = z.object({
  link: z.string(),
  /** The activation code in the link, to be read out. */
  code: z.string(),
  expiresAt: Seconds,
})
export type EnrollmentLink = z.infer<typeof EnrollmentLink>

export const sendEnrollmentMail = endpoint({
  method: 'POST',
  path: '/admin/people/:userId/domains/:domainId/enrollment-mail',
  summary:
    'Mails the person a link that sets up a device, good for 7 days unless the body says otherwise, and 30 at most. An earlier link ends. The help desk needs a verified caller or a consent if the address changed within 7 days. At most 3 mails to a person in 24 hours.',
  body: Reasoned.extend({ days }),
  response: Person,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true, guarded: 'sometimes' },
  // `conflict.state`: the address was changed while the mail was on its way.
  errors: [
    'api.error.conflict.email',
    'api.error.conflict.state',
    'api.error.conflict.device',
    'api.error.unavailable.mail',
    'api.error.unavailable.authenticator',
  ],
})

export const showEnrollmentLink = endpoint({
  method: 'POST',
  path: '/admin/people/:userId/domains/:domainId/enrollment-link',
  summary:
    'Shows the link that works now, or makes one. For another device in place of the present one, the link is good for 15 minutes.',
  body: Reasoned.extend({ days }),
  response: EnrollmentLink,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true, guarded: true },
  errors: ['api.error.unavailable.authenticator'],
})

export const changePersonEmail = endpoint({
  method: 'PUT',
  path: '/admin/people/:userId/email',
  summary:
    'Changes the e-mail address, and tells the person at the old one. Links and codes that were mailed there end. Needs `If-Match` with the version of the person.',
  body: Reasoned.extend({ email: Email }),
  response: Person,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true, guarded: true, everywhere: true },
  errors: ['api.error.precondition'],
})
