import { mfa, requireMfa } from 'second-factor'
import { expect, it } from 'vitest'

import { startWebApp } from '../support/web-app.ts'
import { inFullRun } from '../support/full-run.ts'

it.each<[object, string]>([
  [
    { service: 'mfa.sqlite' },
    'mfa: service: must be { baseUrl, apiKey, domainId } or a handle such as embedded() returns',
  ],
  [{ service: { baseUrl: 'https://mfa.example/api', domainId: 'd' } }, 'mfa: service.apiKey: is missing'],
  [{ service: Promise.resolve({}) }, 'mfa: service: is a promise: write await before it'],
  [{ publicUrl: 'app.example' }, 'mfa: publicUrl: must be an http(s) address such as https://app.example'],
])('an option of mfa() that is wrong is named once, with what is expected: %j', (options, message) => {
  expect(() => mfa(options as never)).toThrow(new TypeError(message))
})

inFullRun('requireMfa without its parentheses opens no route, and says so', async () => {
  const app = await startWebApp({ routes: (express) => express.get('/guarded', requireMfa as never) })

  const { status, text } = await app.browser().visit('/guarded')

  expect(status).toBe(500)
  expect(text).toContain('requireMfa was passed as a handler itself: write requireMfa()')
})
