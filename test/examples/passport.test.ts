import { startTestService } from 'second-factor/testing'
import type { MfaOptions } from 'second-factor'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createBrowser } from '../support/browser.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { listen } from '../support/listen.ts'
import { createApp as createCodeApp } from './passport-code.ts'
import { createApp as createChallengeApp } from './passport.ts'

const alice = { username: 'alice', password: 'secret' }

/** An example, a browser, and a service that Alice has a device of. */
async function start(createApp: (options: MfaOptions) => ReturnType<typeof createChallengeApp>) {
  const service = await startTestService()
  onTestFinished(() => service.close())
  const messages: string[] = []
  const logger = {
    info() {},
    error: (message: string) => void messages.push(message),
    warn: (message: string) => void messages.push(message),
  }
  const url = await listen(createApp({ service, clock: service.clock, logger }))
  return { service, device: await service.enroll('alice'), browser: createBrowser(url), messages }
}

describe('the Passport example with the challenge page', () => {
  inFullRun('the Passport example redirects from the login to the challenge, and then to successRedirect', async () => {
    const { browser, device, messages } = await start(createChallengeApp)

    const login = await browser.submit('/login', alice)
    await browser.visit('/mfa')
    await device.approve()
    const done = await browser.submit('/mfa/complete')

    expect([login.status, login.headers['location']]).toEqual([303, '/mfa'])
    expect(done.headers['location']).toBe('/')
    expect((await browser.open('/')).text).toBe('Welcome')
    expect((await browser.open('/inside')).body.mfa.factor).toBe('push')
    expect(messages).toEqual([])
  })

  inFullRun(
    'the Passport example lets unverified users sign in as another user, and asks that user’s device',
    async () => {
      const { service, browser, device } = await start(createChallengeApp)
      const bob = await service.enroll('bob')
      await browser.submit('/login', alice)
      await browser.visit('/mfa')

      await browser.submit('/login', { ...alice, username: 'bob' })
      const page = await browser.visit('/mfa')

      expect(page.text).toContain('bob')
      // The request of the user before was canceled.
      await expect(device.approve()).rejects.toThrow('No request is pending for alice')
      await browser.submit('/mfa/complete')
      expect((await browser.fetch('/')).status).toBe(403)
      await bob.approve()
      await browser.submit('/mfa/complete')
      expect((await browser.open('/')).text).toBe('Welcome')
    },
  )

  it('the Passport example redirects to the login after a canceled sign-in, and without a login', async () => {
    const { browser } = await start(createChallengeApp)

    expect((await browser.open('/inside')).headers['location']).toBe('/login')
    await browser.submit('/login', alice)
    await browser.visit('/mfa')

    expect((await browser.submit('/mfa/cancel')).headers['location']).toBe('/login')
    expect((await browser.open('/login')).status).toBe(200)
  })
})

describeInFullRun('the Passport example with its own form for codes', () => {
  it('the Passport example with its own form verifies a code that is posted to a public route after the gate', async () => {
    const { service, browser, messages } = await start(createCodeApp)

    const login = await browser.submit('/login', alice)
    expect(login.headers['location']).toBe('/second-step')
    expect((await browser.open('/second-step')).status).toBe(200)
    expect((await browser.fetch('/')).status).toBe(403)
    const wrong = await browser.submit('/second-step', { code: '000000' })
    expect(wrong.headers['location']).toBe('/second-step')
    expect((await browser.open('/second-step')).text).toContain("That code didn't work")
    const right = await browser.submit('/second-step', { code: await service.code('alice') })

    expect(right.headers['location']).toBe('/')
    expect((await browser.open('/')).text).toBe('Welcome')
    expect(messages).toEqual([])
  })

  it('the Passport example with its own form tells a script why a code is wrong, and verifies a correct one', async () => {
    const { service, browser } = await start(createCodeApp)
    await browser.submit('/login', alice)

    const wrong = await browser.submit('/api/second-step', { code: '000000' })
    const right = await browser.submit('/api/second-step', { code: await service.code('alice') })

    expect([wrong.status, wrong.body.reason]).toEqual([401, 'wrong_code'])
    expect(right.body).toEqual({ verified: true })
    expect((await browser.open('/')).text).toBe('Welcome')
  })

  inFullRun('the Passport example with its own form warns once if the gate stops the form', async () => {
    const { service, browser, messages } = await start((options) => createCodeApp({ ...options, public: ['/login'] }))
    await browser.submit('/login', alice)

    for (let tries = 0; tries < 2; tries++) await browser.submit('/second-step', { code: await service.code('alice') })
    await browser.submit('/elsewhere')

    expect((await browser.fetch('/')).status).toBe(403)
    expect(messages).toEqual([
      expect.stringContaining('POST /second-step was stopped by the gate before passport.authenticate() ran'),
    ])
    expect(messages[0]).toContain("public: ['/second-step']")
  })
})
