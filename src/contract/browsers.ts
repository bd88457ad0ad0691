import { z } from 'zod'

import { endpoint } from './endpoint.ts'
import { Id, Seconds } from './text.ts'

/** For how long a browser is remembered at most, days. */
export const longestRemembered = 90

/** What a browser is known by in which somebody need not pass the second step for a while. It is a secret. */
export const RememberedBrowser = z.object({ marker: z.string(), expiresAt: Seconds })
export type RememberedBrowser = z.infer<typeof RememberedBrowser>

const BrowserParams = z.object({ domainId: Id, userId: Id })

export const rememberBrowser = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/browsers',
  summary: 'Makes a marker for a browser, good until what the user passes the second step with changes.',
  params: BrowserParams,
  body: z.object({ days: z.int().min(1).max(longestRemembered) }),
  response: RememberedBrowser,
  role: 'auth',
  since: '1.4',
  errors: ['api.error.notfound.domain', 'api.error.notfound.user'],
})

export const recogniseBrowser = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/browsers/recognise',
  summary: 'Says until when a marker is good, if it is.',
  params: BrowserParams,
  body: z.object({ marker: z.string().max(1024) }),
  response: RememberedBrowser.pick({ expiresAt: true }),
  role: 'auth',
  since: '1.4',
  errors: ['api.error.notfound.domain', 'api.error.notfound.user', 'api.error.notfound.browser'],
})

export const forgetBrowsers = endpoint({
  method: 'DELETE',
  path: '/domains/:domainId/users/:userId/browsers',
  summary: 'Makes all markers of the user worthless, in every domain.',
  params: BrowserParams,
  role: 'auth',
  since: '1.4',
  errors: ['api.error.notfound.domain', 'api.error.notfound.user'],
})
