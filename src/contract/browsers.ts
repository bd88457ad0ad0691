import { z } from 'zod'

import { endpoint } from './endpoint.ts'
import { Id, Random128, Seconds } from './text.ts'

/** For how long a browser is remembered at most, days. */
export const longestRemembered = 90

/** The id of a browser as its cookie holds it. Anything may come from a cookie: what is no id is no known browser. */
export const BrowserCookie = z
  .string()
  .nullish()
  .transform((value) => value || undefined)

/** A browser in which a user has passed the second step. */
export const KnownBrowser = z.object({
  /** 128 random bits, base64url; for the cookie of this browser and nobody else. */
  id: Random128,
  /** When it is forgotten, unless the user passes again in it. */
  expiresAt: Seconds,
  /** Until when it passes the gate without a second step, where the person chose that. */
  rememberedUntil: Seconds.optional(),
})
export type KnownBrowser = z.infer<typeof KnownBrowser>

const BrowserParams = z.object({ domainId: Id, userId: Id })

export const recognizeBrowser = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/browsers/recognize',
  summary: 'Says until when a browser is known for a user, and remembered. It proves nothing: it is no factor.',
  params: BrowserParams,
  body: z.object({ browser: BrowserCookie }),
  response: KnownBrowser.omit({ id: true }),
  role: 'auth',
  since: '1.4',
  errors: ['api.error.notfound.domain', 'api.error.notfound.user', 'api.error.notfound.browser'],
})

export const forgetBrowsers = endpoint({
  method: 'DELETE',
  path: '/domains/:domainId/users/:userId/browsers',
  summary: 'Ends all known browsers of the user, in every domain: none is remembered any more.',
  params: BrowserParams,
  role: 'auth',
  since: '1.4',
  errors: ['api.error.notfound.domain', 'api.error.notfound.user'],
})

/** When something is possible again: Unix time, or nothing where only an administrator ends it. */
const Pause = z.object({ until: Seconds.optional() })

/** What is paused now; a member that is absent works. */
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
  summary: 'Says whether the user can be asked on the device now, and can try codes, from this browser.',
  params: BrowserParams,
  body: z.object({ browser: BrowserCookie }),
  response: Pauses,
  role: 'auth',
  since: '1.4',
  errors: ['api.error.notfound.domain', 'api.error.notfound.user'],
})
