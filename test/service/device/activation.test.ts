import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { devicePaths } from '../../../src/contract/device.ts'
import { previewCode } from '../../support/device-signer.ts'
import { invited, outcome } from './people.ts'
import { read, startService } from '../start-service.ts'
import type { Running } from '../start-service.ts'

let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

describe('a preview', () => {
  it('names what the code would join', async () => {
    const { user, newDevice } = await invited(running)

    const { previewed } = await newDevice()

    expect(previewed.json).toEqual({
      service: expect.stringMatching(/^[0-9a-f]{40}$/),
      organization: { name: running.organization.name },
      domain: { id: running.domain.id, name: 'Domain', keyType: 'NONE' },
      user: { username: user.username },
      pushKey: expect.stringMatching(/^B[\w-]{86}$/),
    })
    expect(previewed.headers.get('cache-control')).toBe('no-store')
  })

  it('reads a code without regard to case, blanks and hyphens', async () => {
    const { code } = await invited(running)
    const typed = ` ${code.slice(0, 5).toUpperCase()}-${code.slice(5)} `

    const response = await previewCode(running.origin, typed)

    expect(response.status).toBe(200)
  })

  it('knows nothing of a code that has expired', async () => {
    const { code } = await invited(running)
    await running.clock.advance(7 * 24 * 60 * 60)

    expect(await outcome(await previewCode(running.origin, code))).toEqual([404, 'api.error.notfound.activationcode'])
  })

  it('knows nothing of a code that is not there, and says so of one that cannot be', async () => {
    const preview = (code: string) => previewCode(running.origin, code)

    expect(await outcome(await preview('aaaaaaaaaa'))).toEqual([404, 'api.error.notfound.activationcode'])
    expect(await outcome(await preview('aaaaaaaaa1'))).toEqual([400, 'api.error.invalid.code'])
  })
})

describe('activating', () => {
  it('makes the token active and the device known', async () => {
    const { user, code, newDevice } = await invited(running)
    const { signer, activate, inbox } = await newDevice()

    const activated = await read(await activate(code))
    signer.id = activated.json.device
    const empty = await read(await inbox())

    expect(activated.json).toMatchObject({ domain: { id: running.domain.id }, user: { username: user.username } })
    expect(empty.json).toEqual({ requests: [] })
  })

  it('uses a code up once, however many devices try at once', async () => {
    const { code, newDevice } = await invited(running)
    const devices = await Promise.all(Array.from({ length: 64 }, newDevice))

    const outcomes = await Promise.all(devices.map(async ({ activate }) => outcome(await activate(code))))

    expect(outcomes.filter(([status]) => status === 200)).toHaveLength(1)
    expect(outcomes.filter(([, code404]) => code404 === 'api.error.notfound.activationcode')).toHaveLength(63)
  })

  it('needs the signature of the very key it brings', async () => {
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

  it('needs a point that is on the curve', async () => {
    const { code, newDevice } = await invited(running)
    const { signer, activate } = await newDevice()

    const answer = await outcome(await activate(code, { key: { ...signer.publicKey, x: 'A'.repeat(43) } }))

    expect(answer).toEqual([401, 'api.error.unauthorized'])
  })

  it('is not possible with a code that has expired', async () => {
    const { code, newDevice } = await invited(running)
    const { activate } = await newDevice()
    await running.clock.advance(7 * 24 * 60 * 60)

    expect(await outcome(await activate(code))).toEqual([404, 'api.error.notfound.activationcode'])
  })

  it('refuses a name that is none', async () => {
    const { code, newDevice } = await invited(running)
    const { activate } = await newDevice()

    expect(await outcome(await activate(code, { name: '' }))).toEqual([400, 'api.error.invalid.name'])
  })
})
