import { z } from 'zod'

import { endpoint } from './endpoint.ts'
import { Id, Random128, Seconds, stripText, truncateText } from './text.ts'

/** The longest time for which a browser can be remembered, days. */
export const maxRememberDays = 90

/** The id of a browser, from its cookie. Cookies can hold anything: an invalid id is treated as an unknown browser. */
export const BrowserCookie = z
  .string()
  .nullish()
  .transform((value) => value || undefined)

/** Text about a browser for its user. Only informational: it never fails a sign-in. */
const BrowserText = z
  .string()
  .nullish()
  .transform((value) => truncateText(stripText(value ?? '').trim(), 64) || undefined)

/** The name of a browser and its system, as users know them. */
export const BrowserName = BrowserText

/** The place of a browser, as the app knows it. */
export const BrowserPlace = BrowserText

/** A browser in which a user has passed the second step. */
export const KnownBrowser = z.object({
  /** 128 random bits, base64url; only for the cookie of this browser. */
  id: Random128,
  /** When it is forgotten, unless the user passes the second step in it again. */
  expiresAt: Seconds,
  /** The time until which it passes the gate without a second step, if the person chose that. */
  rememberedUntil: Seconds.optional(),
  /** The time until which it is kept, if it is: only in the answer that redeems an approval. */
  keptUntil: Seconds.optional(),
})
export type KnownBrowser = z.infer<typeof KnownBrowser>

export const recognizeBrowser = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/browsers/recognize',
  summary: 'Returns until when a browser is known for a user, and remembered. A known browser is not a factor.',
  body: z.object({ browser: BrowserCookie }),
  response: KnownBrowser.omit({ id: true, keptUntil: true }),
  role: 'auth',
  since: '1.4',
  errors: ['api.error.notfound.browser'],
})

/** A browser that passes the gate of a domain without a second step, that is kept, or both. */
export const ListedBrowser = z.object({
  /** The id by which it is forgotten. It is not the id in the cookie, which this one does not reveal. */
  id: Id,
  name: z.string().optional(),
  /** The time since which it is known. */
  knownSince: Seconds.optional(),
  /** The time of its last use, to the day. */
  lastUsedAt: Seconds,
  rememberedUntil: Seconds.optional(),
  /** The time until which it counts as kept, and since when. */
  keptUntil: Seconds.optional(),
  keptSince: Seconds.optional(),
  /** Where it was kept, as the app knew it. */
  place: z.string().optional(),
  /** The caller named it by the id in its cookie. */
  current: z.literal(true).optional(),
})
export type ListedBrowser = z.infer<typeof ListedBrowser>

export const listBrowsers = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/browsers/list',
  summary: 'Lists the browsers of a user that are remembered or kept in the domain; the one last used comes first.',
  body: z.object({ browser: BrowserCookie }),
  response: z.array(ListedBrowser),
  role: 'auth',
  since: '1.4',
})

/**
 * The session that allows a user to give up kept browsers: approved and redeemed for changing devices. With the cookie of a verified
 * web session alone, an attacker could lock the user out of apps that accept no other browser.
 */
const ForgettingPass = z.object({ pass: Id.optional() })

export const forgetBrowser = endpoint({
  method: 'DELETE',
  path: '/domains/:domainId/users/:userId/browsers/:browserId',
  summary: 'Forgets one remembered or kept browser of the user in the domain; a kept one only with a pass.',
  query: ForgettingPass,
  role: 'auth',
  since: '1.4',
  errors: ['api.error.notfound.browser', 'api.error.conflict.pass'],
})

export const forgetBrowsers = endpoint({
  method: 'DELETE',
  path: '/domains/:domainId/users/:userId/browsers',
  summary:
    'Forgets all known browsers of the user, in every domain. Without a pass, kept browsers stay kept, and are not remembered.',
  query: ForgettingPass,
  role: 'auth',
  since: '1.4',
  errors: ['api.error.conflict.pass'],
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
