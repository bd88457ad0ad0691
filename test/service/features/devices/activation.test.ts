import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { devicePaths } from '../../../../src/contract/device.ts'
import { previewCode } from '../../../support/device-signer.ts'
import { invited, outcome } from './people.ts'
import { read, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

describe('a preview', () => {
  it('the preview of an activation code shows its service, organization and domain', async () => {
    const { user, newDevice } = await invited(running)

    const { previewed } = await newDevice()

    expect(previewed.json).toEqual({
      service: expect.stringMatching(/^[0-9a-f]{40}$/),
      organization: { name: running.organization.name },
      domain: { id: running.domain.id, name: 'Domain', keyType: 'NONE' },
      user: { username: user.username, name: user.name },
      pushKey: expect.stringMatching(/^B[\w-]{86}$/),
    })
    expect(previewed.headers.get('cache-control')).toBe('no-store')
  })

  it('the preview of an activation code ignores case, spaces and hyphens', async () => {
    const { code } = await invited(running)
    const typed = ` ${code.slice(0, 5).toUpperCase()}-${code.slice(5)} `

    const response = await previewCode(running.origin, typed)

    expect(response.status).toBe(200)
  })

  it('the preview does not find an activation code that has expired', async () => {
    const { code } = await invited(running)
    running.clock.skip(7 * 24 * 60 * 60)

    expect(await outcome(await previewCode(running.origin, code))).toEqual([404, 'api.error.notfound.activationcode'])
  })

  it('the preview does not find an unknown activation code and rejects a malformed one', async () => {
    const preview = (code: string) => previewCode(running.origin, code)

    expect(await outcome(await preview('aaaaaaaaaa'))).toEqual([404, 'api.error.notfound.activationcode'])
    expect(await outcome(await preview('aaaaaaaaa1'))).toEqual([400, 'api.error.invalid.code'])
  })
})

describe('activating', () => {
  it('activation activates the token and registers the device', async () => {
    const { user, code, newDevice } = await invited(running)
    const { signer, activate, inbox } = await newDevice()

    const activated = await read(await activate(code))
    signer.id = activated.json.device
    const empty = await read(await inbox())

    expect(activated.json).toMatchObject({ domain: { id: running.domain.id }, user: { username: user.username } })
    expect(empty.json).toEqual({ requests: [] })
  })

  it('activation succeeds once per code, however many devices try at once', async () => {
    const { code, newDevice } = await invited(running)
    const devices = await Promise.all(Array.from({ length: 64 }, newDevice))

    const outcomes = await Promise.all(devices.map(async ({ activate }) => outcome(await activate(code))))

    expect(outcomes.filter(([status]) => status === 200)).toHaveLength(1)
    expect(outcomes.filter(([, code404]) => code404 === 'api.error.notfound.activationcode')).toHaveLength(63)
  })

  it('activation requires a signature by the very key it registers', async () => {
    const { code, newDevice } = await invited(running)
    const { signer, post } = await newDevice()
    const { privateKey: other } = await generateKeyPair('ES256')
    const call = { htm: 'POST', path: devicePaths.activate, code, name: 'x', key: signer.publicKey } as const

    const refused = await outcome(await post(devicePaths.activate, await signer.sign(call, other)))
    const taken = await outcome(await post(devicePaths.activate, await signer.sign(call)))

    expect([refused, taken]).toEqual([
      [401, 'api.error.unauthorized'],
      [200, undefined],
    ])
  })

  it('activation requires a key that is a point on the curve', async () => {
    const { code, newDevice } = await invited(running)
    const { signer, activate } = await newDevice()

    const answer = await outcome(await activate(code, { key: { ...signer.publicKey, x: 'A'.repeat(43) } }))

    expect(answer).toEqual([401, 'api.error.unauthorized'])
  })

  it('activation fails with a code that has expired', async () => {
    const { code, newDevice } = await invited(running)
    const { activate } = await newDevice()
    running.clock.skip(7 * 24 * 60 * 60)

    expect(await outcome(await activate(code))).toEqual([404, 'api.error.notfound.activationcode'])
  })

  it('activation rejects an invalid device name', async () => {
    const { code, newDevice } = await invited(running)
    const { activate } = await newDevice()

    expect(await outcome(await activate(code, { name: '' }))).toEqual([400, 'api.error.invalid.name'])
  })
})

describe('activating again', () => {
  it('activation that is repeated with the same code and key returns the same account, and its device works', async () => {
    const { code, newDevice } = await invited(running)
    const { signer, activate, inbox } = await newDevice()
    const first = await read(await activate(code))

    const again = await read(await activate(code))
    signer.id = again.json.device

    expect(again.json).toEqual(first.json)
    expect((await inbox()).status).toBe(200)
  })

  it('activation that is repeated while the first call is under way returns the same account', async () => {
    const { code, newDevice } = await invited(running)
    const { activate } = await newDevice()

    const answers = await Promise.all(Array.from({ length: 8 }, async () => read(await activate(code))))

    expect(new Set(answers.map(({ status, json }) => `${status} ${JSON.stringify(json)}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
  })

  it('activation is repeated by no other key, and by no copy of the first call', async () => {
    const { code, newDevice } = await invited(running)
    const [{ signer, post }, other] = [await newDevice(), await newDevice()]
    const content = { code, name: 'x', key: signer.publicKey }
    const jws = await signer.sign({ htm: 'POST', path: devicePaths.activate, ...content })
    await post(devicePaths.activate, jws)

    const copied = await outcome(await post(devicePaths.activate, jws))

    expect(copied).toEqual([401, 'api.error.device.replayed'])
    expect(await outcome(await other.activate(code))).toEqual([404, 'api.error.notfound.activationcode'])
  })

  it('activation is not repeated after ten minutes, nor once the device is removed', async () => {
    const [late, removed] = [await invited(running), await invited(running)]
    const [lateDevice, removedDevice] = [await late.newDevice(), await removed.newDevice()]
    await lateDevice.activate(late.code)
    removedDevice.signer.id = (await read(await removedDevice.activate(removed.code))).json.device
    await removedDevice.remove()

    const ended = await outcome(await removedDevice.activate(removed.code, { sub: undefined }))
    running.clock.skip(10 * 60)

    expect(ended).toEqual([403, 'api.error.device.revoked'])
    expect(await outcome(await lateDevice.activate(late.code))).toEqual([404, 'api.error.notfound.activationcode'])
  })
})
