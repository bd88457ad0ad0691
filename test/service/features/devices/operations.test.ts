import { Secret } from 'otpauth'
import { expect, it } from 'vitest'

import { codeAt, stepAt } from '../../../../src/service/features/codes/totp.ts'

import { changePass, hardwareToken, member, unique } from '../codes/code-holder.ts'
import { previewCode } from '../../../support/device-signer.ts'
import { activateDevice } from '../../start-service.ts'
import type { Subject } from '../../operation.ts'
import { operation } from '../../operation.ts'

const tokenOf = async (subject: Subject) => `/domains/${subject.domain.id}/users/${(await member(subject)).id}/token`

operation('PUT /domains/{domainId}/users/{userId}/token', (subject) => {
  it('issuing a token returns it as later reads do', async () => {
    const path = await tokenOf(subject())

    const first = await subject().call13('PUT', path)
    const second = await subject().call13('PUT', path)

    expect(first.text).toMatch(/^\{"state":"pending","code":"[a-z2-9]{10}"\}$/)
    expect(second.text).toBe(first.text)
  })
})

operation('GET /domains/{domainId}/users/{userId}/token', (subject) => {
  it('reading a token returns its code while it is pending, and never after', async () => {
    const path = await tokenOf(subject())
    const { text, json } = await subject().call13('PUT', path)

    const pending = await subject().call13('GET', path)
    await activateDevice(subject().origin, subject().clock, json.code)
    const active = await subject().call13('GET', path)

    expect(pending.text).toBe(text)
    expect(active.text).toBe('{"state":"active"}')
  })

  it('reading a token in 1.4 tells an administrator when and where the device was last used, by history and codes', async () => {
    const path = await tokenOf(subject())
    const { clock } = subject()
    const { code } = (await subject().call('PUT', path)).json
    const activated = await activateDevice(subject().origin, clock, code)
    const { domain } = subject()
    const userId = path.split('/')[4]
    const readDevice = async () => (await subject().call('GET', path)).json.device
    const ask = async (decision: string, place: string) => {
      const attributes = [{ key: 'Place', value: place }]
      const { json } = await subject().call('POST', `/domains/${domain.id}/sessions`, {
        body: { user: { id: userId }, attributes },
      })
      const [request] = await activated.pending()
      await activated.device.answer(json.id, { nonce: request!.nonce, decision })
    }

    const unused = await readDevice()
    await ask('approve', 'Lyon')
    const usedAt = clock.now()
    clock.skip(60)
    await ask('deny', 'Riga')
    const used = await readDevice()
    const seed = Secret.fromBase32(activated.codeSecret).hex
    const otp = codeAt({ seed, digits: 6 }, stepAt(clock.now(), 30))
    await subject().call('POST', `/domains/${domain.id}/sessions`, { body: { user: { id: userId }, otp } })

    expect(unused).not.toHaveProperty('lastUsedAt')
    expect(used).toMatchObject({ lastUsedAt: usedAt, lastUsedPlace: 'Lyon' })
    const step = Math.floor(clock.now() / 30) * 30
    expect(await readDevice()).toEqual({ ...unused, lastUsedAt: step })
  })

  it('reading a token finds none if none was issued', async () => {
    const answer = await subject().call('GET', await tokenOf(subject()))

    expect(answer.code).toBe('api.error.notfound.token')
  })
})

operation('PUT /domains/{domainId}/users/{userId}/token/device', (subject) => {
  it('renaming the device changes its name in the token', async () => {
    const path = await tokenOf(subject())
    const { json } = await subject().call('PUT', path)
    await activateDevice(subject().origin, subject().clock, json.code)

    const { status, text } = await subject().call('PUT', `${path}/device`, { body: { name: 'Work\u202e phone' } })

    expect([status, text]).toEqual([200, ''])
    expect((await subject().call('GET', path)).json.device.name).toBe('Work phone')
  })

  it('renaming the device requires a name and a device', async () => {
    const path = await tokenOf(subject())
    await subject().call('PUT', path)

    const nameless = await subject().call('PUT', `${path}/device`, { body: { name: '' } })
    const pending = await subject().call('PUT', `${path}/device`, { body: { name: 'Phone' } })

    expect([nameless.code, pending.code]).toEqual(['api.error.invalid.name', 'api.error.notfound.token'])
  })
})

operation('DELETE /domains/{domainId}/users/{userId}/token', (subject) => {
  it('a token can be revoked once', async () => {
    const path = await tokenOf(subject())
    await subject().call('PUT', path)

    const first = await subject().call('DELETE', path)
    const second = await subject().call('DELETE', path)

    expect([first.status, first.text]).toEqual([200, ''])
    expect(second.code).toBe('api.error.notfound.token')
  })
})

operation('PUT /domains/{domainId}/users/{userId}/token/first', (subject) => {
  it('a first token is issued to users who never had a factor, and to no others', async () => {
    const path = await tokenOf(subject())

    const issued = await subject().call('PUT', `${path}/first`)
    const reissued = await subject().call('PUT', `${path}/first`)
    await activateDevice(subject().origin, subject().clock, issued.json.code)
    const refused = await subject().call('PUT', `${path}/first`)

    const expiresAt = subject().clock.now() + 7 * 86_400
    const code = expect.stringMatching(/^[a-z2-9]{10}$/)
    expect(issued.json).toEqual({ state: 'pending', code, selfEnrollment: true, expiresAt })
    expect(reissued.text).toBe(issued.text)
    expect([refused.status, refused.code]).toEqual([409, 'api.error.conflict.enrolled'])
  })
})

operation('PUT /domains/{domainId}/users/{userId}/token/replacement', (subject) => {
  it('a replacement code is issued for another device and leaves the current one unchanged', async () => {
    const path = await tokenOf(subject())
    const { json } = await subject().call('PUT', path)
    const { device } = await activateDevice(subject().origin, subject().clock, json.code)

    const issued = await subject().call('PUT', `${path}/replacement`, { body: {} })
    const reissued = await subject().call('PUT', `${path}/replacement`, { body: {} })

    const expiresAt = subject().clock.now() + 15 * 60
    expect(issued.json).toEqual({ code: expect.stringMatching(/^[a-z2-9]{10}$/), expiresAt })
    expect(reissued.text).toBe(issued.text)
    expect((await device.inbox()).status).toBe(200)
  })

  it('a replacement code for a user without a device is one for the first, with the same lifetime', async () => {
    const path = await tokenOf(subject())

    const issued = await subject().call('PUT', `${path}/replacement`, { body: {} })
    const reissued = await subject().call('PUT', `${path}/replacement`, { body: {} })
    await subject().clock.advance(15 * 60)

    expect(reissued.text).toBe(issued.text)
    expect(issued.json.expiresAt).toBe(subject().clock.now())
    expect((await previewCode(subject().origin, issued.json.code)).status).toBe(404)
  })

  it('asking for a replacement code neither returns nor replaces a code that an administrator issued', async () => {
    const path = await tokenOf(subject())
    const { json } = await subject().call('PUT', path)

    const refused = await subject().call('PUT', `${path}/replacement`, { body: {} })

    expect([refused.status, refused.code]).toEqual([409, 'api.error.conflict.state'])
    expect((await subject().call('GET', path)).json).toEqual({ state: 'pending', code: json.code })
  })

  it('the token reports a replacement code until it expires', async () => {
    const path = await tokenOf(subject())
    const { json } = await subject().call('PUT', path)
    await activateDevice(subject().origin, subject().clock, json.code)
    const { expiresAt } = (await subject().call('PUT', `${path}/replacement`, { body: {} })).json

    const { json: token, text } = await subject().call('GET', path)
    const old = await subject().call13('GET', path)
    await subject().clock.advance(15 * 60)
    const over = await subject().call('GET', path)

    expect(token).toMatchObject({ state: 'active', replacement: { expiresAt } })
    expect(text).not.toContain('code')
    expect(old.text).toBe('{"state":"active"}')
    expect(over.json).not.toHaveProperty('replacement')
  })

  it.each([
    ['used', (code: string) => activateDevice(subject().origin, subject().clock, code)],
    ['withdrawn', (_code: string, path: string) => subject().call('DELETE', `${path}/replacement`)],
  ])('the token reports no replacement code once the code is %s', async (_what, end) => {
    const path = await tokenOf(subject())
    const { json } = await subject().call('PUT', path)
    await activateDevice(subject().origin, subject().clock, json.code)
    const { json: replacement } = await subject().call('PUT', `${path}/replacement`, { body: {} })
    const before = await subject().call('GET', path)

    await end(replacement.code, path)
    const after = await subject().call('GET', path)

    expect(before.json).toHaveProperty('replacement')
    expect(after.json).toMatchObject({ state: 'active' })
    expect(after.json).not.toHaveProperty('replacement')
  })
})

operation('DELETE /domains/{domainId}/users/{userId}/token/replacement', (subject) => {
  it('withdrawing a replacement code invalidates it, and does nothing if there is none', async () => {
    const path = await tokenOf(subject())
    const { json } = await subject().call('PUT', path)
    await activateDevice(subject().origin, subject().clock, json.code)
    const { json: replacement } = await subject().call('PUT', `${path}/replacement`, { body: {} })

    const first = await subject().call('DELETE', `${path}/replacement`)
    const second = await subject().call('DELETE', `${path}/replacement`)

    expect([first.status, first.text, second.status]).toEqual([200, '', 200])
    expect((await previewCode(subject().origin, replacement.code)).status).toBe(404)
  })

  it('withdrawing a replacement code keeps a code that an administrator issued', async () => {
    const path = await tokenOf(subject())
    const { json } = await subject().call('PUT', path)

    await subject().call('DELETE', `${path}/replacement`)

    expect((await previewCode(subject().origin, json.code)).status).toBe(200)
  })
})

operation('GET /domains/{domainId}/users/{userId}/factors/requirement', (subject) => {
  it('the requirement of a change names the factors that can confirm it, and whether a session allows it', async () => {
    const { user } = await subject().enroll(unique())
    const path = `/domains/${subject().domain.id}/users/${user.id}/factors/requirement?changed=device`

    const before = await subject().call('GET', path)
    const pass = await changePass(subject(), user.id)
    const after = await subject().call('GET', `${path}&pass=${pass}`)

    expect(before.json).toEqual({ factors: ['push', 'otp'], passed: false })
    expect(after.json).toEqual({ factors: ['push', 'otp'], passed: true })
  })
})

operation('POST /domains/{domainId}/users/{userId}/factors/give-up', (subject) => {
  async function both() {
    const person = await subject().enroll(unique())
    const token = await hardwareToken(subject())
    await subject().call('PUT', `/users/${person.user.id}/hardware/${token.id}`)
    const path = `/domains/${subject().domain.id}/users/${person.user.id}/factors/give-up`
    const pass = await changePass(subject(), person.user.id)
    const giveUp = (what: string) => subject().call('POST', path, { body: { what, pass } })
    return {
      ...person,
      token,
      giveUp,
      show: async () => (await subject().call('GET', `/users/${person.user.id}`)).json,
    }
  }

  it('giving up a factor removes one, but never the last one', async () => {
    const [device, hardware] = [await both(), await both()]

    const removals = [await device.giveUp('device'), await hardware.giveUp('hardware')]
    const last = [await device.giveUp('hardware'), await hardware.giveUp('device')]
    const repeatedRemovals = [await device.giveUp('device'), await hardware.giveUp('hardware')]

    expect(removals.map(({ status, text }) => [status, text])).toEqual([
      [200, ''],
      [200, ''],
    ])
    expect(last.map(({ code }) => code)).toEqual(Array(2).fill('api.error.conflict.state'))
    expect(repeatedRemovals.map(({ code }) => code)).toEqual([
      'api.error.notfound.token',
      'api.error.notfound.hardware',
    ])
    expect((await device.show()).hardware).toBe(device.token.id)
    expect((await hardware.device.inbox()).status).toBe(200)
  })
})
