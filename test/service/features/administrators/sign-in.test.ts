import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { mainEngines, useEngine } from '../../../support/engines.ts'
import { fetchWithHost } from '../../../support/fetch-with-host.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { administrator, callConsole, consoleBrowser, inviteAt, origin, startConsole } from './console-holder.ts'
import type { Console } from './console-holder.ts'

const elsewhere = 'https://evil.example'

describe.each(mainEngines)('the console on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
  })
  afterAll(() => running.close())

  const owner = () => administrator(running, { role: 'owner' })

  describe('an invitation', () => {
    it('a console invitation is accepted once when four browsers race', async () => {
      const token = await inviteAt(running, { role: 'owner' })
      const browsers = [1, 2, 3, 4].map(() => consoleBrowser(running))
      const answers = await Promise.all(browsers.map((browser) => browser.register(token)))

      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    })

    it('accepting a console invitation creates an administrator who is signed in', async () => {
      const browser = consoleBrowser(running)
      const domains = [running.domain.id]
      const token = await inviteAt(running, { role: 'helpdesk', domains, name: 'Hal', email: 'hal@example.com' })

      const registered = await browser.register(token)

      expect(registered.status).toBe(200)
      expect(registered.json).toMatchObject({
        administrator: { name: 'Hal', email: 'hal@example.com', role: 'helpdesk', domains, version: 1 },
        organization: { id: running.organization.id },
        domains: [{ id: running.domain.id }],
        freshUntil: running.clock.now() + 300,
        idleUntil: running.clock.now() + 1800,
        endsAt: running.clock.now() + 28_800,
      })
      expect((await browser.call('GET', '/session')).json).toEqual(registered.json)
    })

    it('accepting a console invitation sets a cookie that scripts cannot read and that other sites cannot send', async () => {
      const registered = await consoleBrowser(running).register(await inviteAt(running, { role: 'owner' }))

      expect(registered.headers.get('set-cookie')).toMatch(
        /^__Host-mfa-console=[A-Za-z0-9_-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
      )
    })

    it('a console invitation asks for a discoverable passkey, a verified person and no attestation', async () => {
      const token = await inviteAt(running, { role: 'owner' })

      const { json } = await callConsole(running, 'POST', '/registration/options', { body: { token } })

      expect(json.options).toMatchObject({
        rp: { id: 'console.example' },
        attestation: 'none',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
      expect(Buffer.from(json.options.user.id, 'base64url')).toHaveLength(32)
      expect(json.invitation).toEqual({
        name: 'Olivia Owner',
        email: 'olivia@example.com',
        role: 'owner',
        organization: running.organization.name,
      })
    })

    it('a console invitation stays usable while the registration fails', async () => {
      const browser = consoleBrowser(running)
      const token = await inviteAt(running, { role: 'owner' })

      const failed = await browser.register(token, { uv: false })
      const registered = await browser.register(token)

      expect([failed.status, registered.status]).toEqual([400, 200])
    })

    it.each([
      ['a person who was not verified', { uv: false }],
      ['another relying party', { rpId: 'example' }],
      ['another origin', { origin: elsewhere }],
      ['a frame of another origin', { crossOrigin: true }],
      ['attestation', { fmt: 'packed' }],
    ])('a console invitation is not accepted with %s', async (_what, lies) => {
      const failed = await consoleBrowser(running).register(await inviteAt(running, { role: 'owner' }), lies)

      expect([failed.status, failed.code]).toEqual([400, 'api.error.invalid.response'])
    })

    it('a console invitation that was accepted cannot be accepted again', async () => {
      const token = await inviteAt(running, { role: 'owner' })
      await consoleBrowser(running).register(token)

      const secondRegistration = await consoleBrowser(running).register(token)

      expect([secondRegistration.status, secondRegistration.code]).toEqual([404, 'api.error.notfound.invitation'])
    })

    it('a console invitation expires after 30 minutes', async () => {
      const token = await inviteAt(running, { role: 'owner' })
      running.clock.skip(1800)

      const late = await consoleBrowser(running).register(token)

      expect([late.status, late.code]).toEqual([404, 'api.error.notfound.invitation'])
    })
  })

  describe('a sign-in', () => {
    it('a console sign-in accepts each answer once', async () => {
      const { authenticator } = await owner()
      const { json: options } = await callConsole(running, 'POST', '/sign-in/options')
      const response = authenticator.use(options, {}, authenticator.credentials[0])

      const answers = await Promise.all(
        [1, 2, 3].map(() => callConsole(running, 'POST', '/sign-in', { body: { response } })),
      )

      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400])
    })

    it('a console sign-in needs the passkey alone', async () => {
      const { signIn, call, state } = await owner()
      await call('DELETE', '/session')
      state.cookie = undefined

      const signedIn = await signIn()

      expect([signedIn.status, signedIn.json?.administrator.role]).toEqual([200, 'owner'])
    })

    it('a console sign-in names no passkey to browsers that are not signed in', async () => {
      const { json } = await callConsole(running, 'POST', '/sign-in/options')

      expect(json).toMatchObject({ rpId: 'console.example', userVerification: 'required', allowCredentials: [] })
    })

    it.each([
      ['a person who was not verified', { uv: false }],
      ['another relying party', { rpId: 'example' }],
      ['another origin', { origin: elsewhere }],
      ['a frame of another origin', { crossOrigin: true }],
      ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
      ['the user handle of another administrator', { userHandle: Buffer.alloc(32).toString('base64url') }],
      ['no user handle', { userHandle: null }],
      ['an unknown passkey', { id: Buffer.alloc(32).toString('base64url') }],
      ['another backup eligibility', { be: true }],
    ])('a console sign-in is refused with %s', async (_what, lies) => {
      const { signIn } = await owner()

      const refused = await signIn(lies)

      expect([refused.status, refused.code]).toEqual([400, 'api.error.invalid.response'])
      expect(refused.headers.has('set-cookie')).toBe(false)
    })

    it('a console sign-in takes at most 5 minutes', async () => {
      const { authenticator } = await owner()
      const { json: options } = await callConsole(running, 'POST', '/sign-in/options')
      const response = authenticator.use(options, {}, authenticator.credentials[0])
      running.clock.skip(300)

      expect((await callConsole(running, 'POST', '/sign-in', { body: { response } })).status).toBe(400)
    })

    it('a console sign-in ends the session that the browser had', async () => {
      const { signIn, state } = await owner()
      const before = state.cookie
      await signIn()

      expect((await callConsole(running, 'GET', '/session', { cookie: before })).status).toBe(401)
    })
  })

  describe('a session', () => {
    it('a console session ends after 30 minutes without a request', async () => {
      const { call } = await owner()

      running.clock.skip(1799)
      const used = await call('GET', '/session')
      running.clock.skip(1799)
      const usedAgain = await call('GET', '/session')
      running.clock.skip(1800)
      const idle = await call('GET', '/session')

      expect([used.status, usedAgain.status, idle.status]).toEqual([200, 200, 401])
    })

    it('a console session is not kept alive by a page that waits for changes', async () => {
      const { call } = await owner()

      running.clock.skip(1000)
      const waiting = await call('GET', '/session', { headers: { prefer: 'wait=25' } })
      running.clock.skip(800)
      const idle = await call('GET', '/session')

      expect([waiting.status, idle.status]).toEqual([200, 401])
    })

    inFullRun('a console session ends after 8 hours', async () => {
      const { call } = await owner()
      for (let minutes = 0; minutes < 8 * 60 - 20; minutes += 20) {
        running.clock.skip(20 * 60)
        await call('GET', '/session')
      }
      const before = await call('GET', '/session')
      running.clock.skip(20 * 60)

      expect([before.status, (await call('GET', '/session')).status]).toEqual([200, 401])
    })

    it('a console session ends when the administrator signs out', async () => {
      const { call, state } = await owner()
      const { cookie } = state

      const signedOut = await call('DELETE', '/session')

      expect(signedOut.headers.get('set-cookie')).toContain('Max-Age=0')
      expect((await callConsole(running, 'GET', '/session', { cookie })).status).toBe(401)
    })

    it('a console session is stored as a hash', async () => {
      const { state } = await owner()
      const rows = await running.ctx.store.db.selectFrom('administratorSession').selectAll().execute()

      expect(JSON.stringify(rows)).not.toContain(state.cookie?.split('=')[1])
    })
  })

  describe('a change', () => {
    const body = { name: 'New', email: 'new@example.com', role: 'auditor' }

    it('a console change needs a use of the passkey within 5 minutes', async () => {
      const { call } = await owner()
      running.clock.skip(299)
      const fresh = await call('POST', '/invitations', { body })
      running.clock.skip(1)
      const stale = await call('POST', '/invitations', { body })

      expect([fresh.status, stale.status, stale.code]).toEqual([200, 403, 'api.error.forbidden.fresh'])
    })

    it('a console change is allowed again once the passkey was used again', async () => {
      const { call, confirm } = await owner()
      running.clock.skip(300)

      const confirmed = await confirm()

      expect(confirmed.json.freshUntil).toBe(running.clock.now() + 300)
      expect((await call('POST', '/invitations', { body })).status).toBe(200)
    })

    it('a console change is not allowed by the passkey of another administrator', async () => {
      const mine = await owner()
      const theirs = await owner()
      const { json: options } = await mine.call('POST', '/confirmation/options')
      const response = theirs.authenticator.use(options, {}, theirs.authenticator.credentials[0])

      const refused = await mine.call('POST', '/confirmation', { body: { response } })

      expect([refused.status, refused.code]).toEqual([400, 'api.error.invalid.response'])
    })
  })

  describe("an administrator's passkeys", () => {
    inFullRun('an administrator’s passkeys can be added and removed, except the last one', async () => {
      const { call, addPasskey } = await owner()

      const added = await addPasskey()
      const [first, second] = (await call('GET', '/passkeys')).json
      const removed = await call('DELETE', `/passkeys/${first.id}`)
      const last = await call('DELETE', `/passkeys/${second.id}`)

      expect(added.json).toMatchObject({ name: 'Security key' })
      expect(second.id).toBe(added.json.id)
      expect([removed.status, last.status, last.code]).toEqual([200, 409, 'api.error.conflict.state'])
      expect((await call('GET', '/passkeys')).json).toHaveLength(1)
    })

    it('an administrator has at most 10 passkeys', async () => {
      const { addPasskey } = await owner()
      for (let count = 1; count < 10; count += 1) await addPasskey()

      expect((await addPasskey()).code).toBe('api.error.limit.passkeys')
    })
  })

  inFullRun('the console answers requests for its own host only', async () => {
    const app = `${running.origin}/console/`
    const onConsole = { host: new URL(origin).host }
    const statusOf = async (url: string, headers: Record<string, string>) => {
      const { status } = await fetchWithHost(url, { headers })
      return status
    }

    expect(await (await fetchWithHost(app, { headers: onConsole })).text()).toMatch(
      /console is not built yet|<!doctype html>/i,
    )
    expect(await statusOf(app, {})).toBe(404)
    expect(await statusOf(`${running.origin}/console/api/admin/session`, {})).toBe(404)
    expect(await statusOf(`${running.origin}/api/ping`, onConsole)).toBe(404)
    expect(await statusOf(`${running.origin}/authenticator/`, onConsole)).toBe(404)
    expect(await statusOf(`${running.origin}/docs`, onConsole)).toBe(404)
    expect(await statusOf(`${running.origin}/docs`, {})).toBe(200)
  })
})
