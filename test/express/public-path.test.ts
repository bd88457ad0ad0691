import { requireMfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import { describe, expect, it } from 'vitest'

import { startWebApp } from '../support/web-app.ts'

/** A user who has entered the password and not passed the second step. */
async function signedIn(options: Partial<MfaOptions>) {
  const app = await startWebApp({
    mfa: options,
    routes: (routes) => routes.get('/open/guarded', requireMfa(), (_req, res) => res.send('reached')),
  })
  const browser = app.browser()
  await app.signIn(browser, 'alice')
  return async (path: string) => (await browser.fetch(path)).status
}

describe('the option public', () => {
  it('the option public opens exactly the listed paths to unverified users', async () => {
    const statusOf = await signedIn({ public: ['/second-step'] })

    expect(await statusOf('/second-step')).toBe(200)
    expect(await statusOf('/second-step?next=/')).toBe(200)
    for (const path of ['/second-step/', '/second-step/x', '/second-steps', '/SECOND-STEP', '//second-step', '/x']) {
      expect([path, await statusOf(path)]).toEqual([path, 403])
    }
  })

  it('the option public opens everything below a path that ends in /*, and no ambiguous path', async () => {
    const statusOf = await signedIn({ public: ['/open/*'] })

    expect(await statusOf('/open/a/b')).toBe(200)
    for (const path of [
      '/open',
      '/opened/x',
      '/open/%2e%2e/x',
      '/open/..%2fx',
      '/open/..;/x',
      '/open//x',
      '/open/a%2fb',
    ]) {
      expect([path, await statusOf(path)]).toEqual([path, 403])
    }
  })

  it('the option public opens no route that requireMfa() guards', async () => {
    const statusOf = await signedIn({ public: ['/open/*'] })

    expect(await statusOf('/open/guarded')).toBe(403)
  })

  it.each(['', 'login', '/*', '/a*', '/*/b', '/a?b', '/a%20b', '/a b', '/a/'])(
    'the option public refuses the path %j at startup',
    async (path) => {
      await expect(startWebApp({ mfa: { public: [path] } })).rejects.toThrow(
        'must be a path such as /auth/callback or /api/*',
      )
    },
  )
})
