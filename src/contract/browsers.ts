import { z } from 'zod'

import { endpoint } from './endpoint.ts'
import { Random128, Seconds } from './text.ts'

/** The longest time for which a browser can be remembered, days. */
export const maxRememberDays = 90

/** The id of a browser, from its cookie. Cookies can hold anything: an invalid id is treated as an unknown browser. */
export const BrowserCookie = z
  .string()
  .nullish()
  .transform((value) => value || undefined)

/** A browser in which a user has passed the second step. */
export const KnownBrowser = z.object({
  /** 128 random bits, base64url; only for the cookie of this browser. */
  id: Random128,
  /** When it is forgotten, unless the user passes the second step in it again. */
  expiresAt: Seconds,
  /** Until when it passes the gate without a second step, if the person chose that. */
  rememberedUntil: Seconds.optional(),
})
export type KnownBrowser = z.infer<typeof KnownBrowser>

export const recognizeBrowser = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/browsers/recognize',
  summary: 'Returns until when a browser is known for a user, and remembered. A known browser is not a factor.',
  body: z.object({ browser: BrowserCookie }),
  response: KnownBrowser.omit({ id: true }),
  role: 'auth',
  since: '1.4',
  errors: ['api.error.notfound.browser'],
})

export const forgetBrowsers = endpoint({
  method: 'DELETE',
  path: '/domains/:domainId/users/:userId/browsers',
  summary: 'Forgets all known browsers of the user, in every domain.',
  role: 'auth',
  since: '1.4',
})

/** `until` says when it works again, Unix time; absent where only an administrator can end the pause. */
const Pause = z.object({ until: Seconds.optional() })

/** The pauses in force. Absent members are not paused. */
export const Pauses = z.object({
  /** Requests to the device. */
  push: Pause.optional(),
  /** Codes of all kinds. */
  codes: Pause.optional(),
})
export type Pauses = z.infer<typeof Pauses>

export const readPauses = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/pauses',
  summary: 'Returns whether requests to the device, or codes, are paused for the user in this browser.',
  body: z.object({ browser: BrowserCookie }),
  response: Pauses,
  role: 'auth',
  since: '1.4',
})
