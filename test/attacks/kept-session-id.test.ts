import { randomUUID } from 'node:crypto'

import { expect, it } from 'vitest'

import { startFastifyApp } from '../support/frameworks.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

it.each([
  ['express-session', 'connect.sid', (id: () => string) => startWebApp({ session: { genid: id } })],
  [
    '@fastify/session',
    'sessionId',
    (id: () => string) => startFastifyApp('@fastify/session', { session: { idGenerator: id } }),
  ],
])(
  'with %s, nobody is verified in a web session that keeps its id: whoever has planted the id would be verified, too',
  async (_, cookie, start) => {
    let keptId: string | undefined
    const app = await start(() => keptId ?? randomUUID())
    const person = app.browser()
    const { account, page } = await app.enroll(person, 'alice')
    await app.answer(account, 'approve', numberOn(page))
    const attacker = person.copy()
    const [, id] = /^(?:s%3A)?([^.]+)\./.exec(person.cookie(cookie) ?? '') ?? []
    keptId = id

    const answer = await person.submit('/mfa/complete')

    expect([answer.status, answer.text]).toEqual([500, expect.stringContaining('the web session kept its id')])
    // The app has begun an empty web session, so both are signed out.
    for (const browser of [person, attacker]) {
      expect((await browser.fetch('/account')).body).toMatchObject({ verified: false, user: null })
      expect((await browser.fetch('/danger')).status).toBe(401)
    }
  },
)
