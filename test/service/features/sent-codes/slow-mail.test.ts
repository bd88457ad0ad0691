import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { createTenant, newUser, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

type Tenant = Pick<Running, 'domain' | 'call'>

let server: MailServer
beforeAll(async () => {
  server = await startMailServer()
})
afterAll(() => server.close())

const smtp = () => ({ host: '127.0.0.1', port: server.port, from: 'mfa@example.com' })

/** Adds users of a tenant, and returns what mails a code to each. */
async function recipients({ domain, call }: Tenant, count: number) {
  const users = await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const username = `user-${index}`
      return call('POST', '/users', { body: { ...newUser(username), email: `${username}@example.com` } })
    }),
  )
  await Promise.all(users.map(({ json }) => call('PUT', `/domains/${domain.id}/users/${json.id}`)))
  return users.map(
    ({ json }) =>
      () =>
        call('POST', `/domains/${domain.id}/users/${json.id}/otp`, { body: { deliverableOTPType: 'EMAIL' } }),
  )
}

describe('a slow mail server', () => {
  it('a request that waits for the mail server takes no capacity from others', async () => {
    const running = await startService({ smtp: smtp(), limits: { concurrentRequests: 1 } }, { emailOtpEnabled: true })
    const [send] = await recipients(running, 1)
    const meanwhile: number[] = []
    server.meanwhile(async () => {
      meanwhile.push((await running.call('POST', '/users', { body: newUser('other') })).status)
    })

    const sent = await send?.()
    await running.close()

    expect([sent?.status, meanwhile]).toEqual([200, [200]])
  })

  it('mails of one API key that wait for the mail server are limited, and those of another key are sent', async () => {
    const running = await startService({ smtp: smtp() }, { emailOtpEnabled: true })
    const other = await createTenant(running.service, running.origin, { emailOtpEnabled: true })
    const [crowd, [sendOther]] = [await recipients(running, 129), await recipients(other, 1)]
    const gate = Promise.withResolvers<void>()
    let held = 0
    server.meanwhile(() => {
      held += 1
      // All of the crowd that are allowed, and the other one.
      if (held === 129) gate.resolve()
      return gate.promise
    })

    const sending = crowd.map((send) => send())
    const first = await Promise.race(sending)
    const otherStatus = (await sendOther?.())?.status
    gate.resolve()
    const statuses = (await Promise.all(sending)).map(({ status }) => status)
    await running.close()

    expect([first.status, first.code]).toEqual([503, 'api.error.unavailable.mail'])
    expect(Object.groupBy(statuses, String)).toMatchObject({ 503: [503], 200: { length: 128 } })
    expect(otherStatus).toBe(200)
  })
})
