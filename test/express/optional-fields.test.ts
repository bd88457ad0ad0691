import type { MfaOptions } from 'second-factor'
import { createClient } from 'second-factor/client'
import { embedded } from 'second-factor/service'
import { describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'

/** An app whose users have these names and addresses. */
async function startApp(fields: object, mfa: Partial<MfaOptions> = {}) {
  const warnings: string[] = []
  const app = await startWebApp({
    mfa: {
      public: ['/pricing'],
      required: (req) => req.path !== '/optional',
      user: (req) => req.user && { username: (req.user as { username: string }).username, ...fields },
      logger: { info() {}, warn: (text) => void warnings.push(text), error() {} },
      ...mfa,
    },
  })
  return { ...app, warnings }
}

async function clientOf(service: Pick<ReturnType<typeof embedded>, 'connect'>) {
  const { baseUrl, apiKey, fetch } = await service.connect()
  return createClient({ baseUrl, apiKey, fetch })
}

const usable = [
  [{ name: 'Zoë O’Neil' }],
  [{ email: 'r&d@example.com' }],
  [{ email: 'info@müller.de' }],
  [{ email: 'info@xn--mller-kva.de' }],
  [{ email: '用户@例子.广告' }],
] as const

const unusable = [
  [{ name: 'Alice\tExample' }],
  [{ name: 'x'.repeat(129) }],
  [{ email: 'alice' }],
  [{ email: 'alice@example.com\r\nBcc: mallory@example.com' }],
  [{ email: { $ne: null } }],
] as const

describe('a name or an address', () => {
  it.each([...usable, ...unusable])(
    'a user’s name or e-mail address stops no request, and decides about no user: %j',
    async (fields) => {
      const app = await startApp(fields)
      const browser = app.browser()
      await app.signIn(browser, 'alice')

      const open = [await browser.fetch('/pricing'), await browser.fetch('/optional')]
      const gated = await browser.fetch('/account')
      await app.verify(browser, 'alice')

      expect(open.map(({ status }) => status)).toEqual([200, 200])
      expect(gated.status).toBe(403)
      expect((await browser.fetch('/account')).body.verified).toBe(true)
    },
  )

  inFullRun.each(usable)(
    'a usable name or e-mail address is stored as the app gives it, without a warning: %j',
    async (fields) => {
      const app = await startApp(fields)
      await app.verify(app.browser(), 'alice')

      const user = await (await clientOf(app.service)).users.getByUsername('alice')

      expect(user).toMatchObject({ name: 'alice', ...fields })
      expect(app.warnings).toEqual([])
    },
  )

  it.each(unusable)(
    'a name or e-mail address that cannot be used is left out, with one warning: %j',
    async (fields) => {
      const app = await startApp(fields)
      for (const username of ['alice', 'bob']) await app.verify(app.browser(), username)

      const user = await (await clientOf(app.service)).users.getByUsername('alice')

      expect(user).toMatchObject({ name: 'alice', email: '' })
      expect(app.warnings).toEqual([
        expect.stringMatching(/^mfa: a user has an? (name|e-mail address) that cannot be used/),
      ])
      expect(app.warnings.join()).not.toMatch(/xxx|Bcc|Example/)
    },
  )

  it('a name or e-mail address that a stricter service rejects is left out, with one warning', async () => {
    const inner = embedded({ database: ':memory:' })
    const strict = {
      ...inner,
      async connect() {
        const connection = await inner.connect()
        const fetch: typeof globalThis.fetch = async (url, init) => {
          const body = typeof init?.body === 'string' ? init.body : ''
          const member = body.includes('r&d') ? 'email' : body.includes('Ali\u0301ce') ? 'name' : undefined
          if (member === undefined) return (connection.fetch ?? globalThis.fetch)(url, init)
          const errors = [{ code: `api.error.invalid.${member}`, message: `${member}: is wrong.` }]
          return Response.json({ errors }, { status: 400 })
        }
        return { ...connection, fetch }
      },
    }
    const app = await startApp({ email: 'r&d@example.com', name: 'Ali\u0301ce' }, { service: strict })
    for (const username of ['alice', 'bob']) {
      const browser = app.browser()
      await app.signIn(browser, username)
      expect((await browser.visit('/account')).text).toMatch(/#code=/)
    }

    const user = await (await clientOf(inner)).users.getByUsername('bob')

    expect(user).toMatchObject({ name: 'bob', email: '' })
    expect(app.warnings.map((text) => text.slice(0, 46))).toEqual([
      'mfa: a user has an e-mail address that cannot ',
      'mfa: a user has a name that cannot be used (na',
    ])
    await inner.close()
  })
})
