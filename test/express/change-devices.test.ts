import { describe, expect, it } from 'vitest'
import { mfa } from 'second-factor'

import { inFullRun } from '../support/full-run.ts'
import { numberOn } from '../support/web-app.ts'
import { startOwnApp } from './own-factors.ts'

describe('a pass for changing devices', () => {
  inFullRun(
    'a pass for changing devices is required after a sign-in, by a request that names its purpose',
    async () => {
      const app = await startOwnApp()
      const { browser, account } = await app.signedIn()

      const firstAnswer = await browser.submit('/mfa/devices/device')
      const page = await browser.visit('/mfa')
      const [request] = (await app.device.requests(account)).requests ?? []
      await app.answer(account, 'approve', numberOn(page))
      const done = await browser.submit('/mfa/complete')

      expect([firstAnswer.headers['location'], done.headers['location']]).toEqual(['/mfa', '/mfa/devices/device'])
      expect(page.text).toContain('Confirm the change to your devices')
      expect(page.text).not.toContain('Approve the sign-in')
      expect(request).toMatchObject({ purpose: 'change_devices' })
    },
  )

  inFullRun('a pass for changing devices counts as a step-up, and a step-up does not count as a pass', async () => {
    const app = await startOwnApp()
    const { browser, account } = await app.withDevice()

    const danger = await browser.open('/danger')
    await app.clock.advance(301)
    await browser.visit('/danger')
    const stepped = await app.stepUp(browser, account)
    const change = await browser.submit('/mfa/devices/device')

    expect(danger.text).toBe('danger')
    expect(stepped.headers['location']).toBe('/danger')
    expect(change.headers['location']).toBe('/mfa')
  })

  inFullRun('a change of devices without a pass gives scripts the address of the challenge', async () => {
    const app = await startOwnApp()
    const { browser, account } = await app.signedIn()

    const refused = await browser.submit(
      '/mfa/devices/device',
      {},
      { accept: 'application/json', 'sec-fetch-mode': 'cors' },
    )
    const page = await browser.visit(refused.body.challenge)
    await app.answer(account, 'approve', numberOn(page))
    const done = await browser.submit('/mfa/complete')

    expect(refused.body).toMatchObject({ challenge: '/mfa?purpose=change_devices&factors=push,otp' })
    expect(done.headers['location']).toBe('/mfa/devices')
    expect((await browser.submit('/mfa/devices/device')).headers['location']).toBe('/mfa/devices/device')
  })

  it('a pass for changing devices does not count by a factor that only a manipulated address allows', async () => {
    const app = await startOwnApp({ devices: { factors: ['otp'] } })
    const { browser, account } = await app.signedIn()

    const page = await browser.visit('/mfa?purpose=change_devices&factors=push')
    await app.answer(account, 'approve', numberOn(page))
    await browser.submit('/mfa/complete')

    expect((await browser.submit('/mfa/devices/device')).headers['location']).toBe('/mfa')
  })

  inFullRun('a pass for changing devices ends when the code that passed it is withdrawn', async () => {
    const app = await startOwnApp()
    const { browser } = await app.signedIn()
    const { id } = await app.user()
    const { code = '' } = await app.client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })
    await app.passByCode(browser, code)
    const counted = await browser.open('/mfa/devices/app')

    await app.client.bypassCodes.deleteAll(id)

    expect(counted.status).toBe(200)
    expect((await browser.open('/mfa/devices/app')).headers['location']).toBe('/mfa')
  })

  it('a pass for changing devices lasts as long as the option devices allows', async () => {
    const app = await startOwnApp({ devices: { maxAge: 60 } })
    const { browser } = await app.withDevice()

    await app.clock.advance(59)
    const inTime = await browser.submit('/mfa/devices/device')
    await app.clock.advance(1)
    const late = await browser.submit('/mfa/devices/device')

    expect([inTime, late].map(({ headers }) => headers['location'])).toEqual(['/mfa/devices/device', '/mfa'])
  })

  inFullRun('a pass for changing devices that no factor can give sends the user to an administrator', async () => {
    const app = await startOwnApp({ devices: { factors: ['bypass'] }, helpUrl: '/help' })
    const { browser } = await app.signedIn()

    const answer = await browser.submit('/mfa/devices/device')

    expect(answer.status).toBe(403)
    expect(answer.text).toContain('Ask your administrator')
    expect(answer.text).toContain('href="/help"')
  })
})

describe('the option devices', () => {
  const service = { baseUrl: 'https://mfa.example/api', apiKey: 'k'.repeat(64), domainId: 'd'.repeat(40) }

  it.each([
    [{ maxAge: 601 }, 'devices.maxAge'],
    [{ maxage: 60 }, 'devices'],
    [{ factors: [] }, 'devices.factors'],
    [{ factors: ['email'] }, 'devices.factors'],
  ])('the option devices rejects impossible values: %j', (devices, named) => {
    expect(() => mfa({ service, devices: devices as never })).toThrow(named)
  })
})
