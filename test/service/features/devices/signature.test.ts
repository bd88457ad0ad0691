import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { devicePaths } from '../../../../src/contract/device.ts'
import { createDeviceSigner } from '../../../support/device-signer.ts'
import type { DeviceSigner } from '../../../support/device-signer.ts'
import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { asked, outcome } from './people.ts'
import { read, startService, unknownId } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

describe('a forged call', () => {
  type Target = Awaited<ReturnType<typeof asked>>
  type Forge = (target: Target, signer: DeviceSigner) => Promise<string>
  const approve = ({ nonce, path }: Target) => ({ htm: 'POST', path, nonce, decision: 'approve' }) as const
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

  /** An honest call, with the first or last of its three parts replaced. */
  const reassembled = async (target: Target, { header, signature }: { header?: object; signature?: string }) => {
    const [first, payload, last] = (await target.signer.sign(approve(target))).split('.')
    return [header ? encode(header) : first, payload, signature ?? last].join('.')
  }

  const forgeries: [string, Forge, string][] = [
    [
      'signed with another key',
      async (target, signer) => signer.sign(approve(target), (await generateKeyPair('ES256')).privateKey),
      'api.error.unauthorized',
    ],
    [
      'signed by nobody (alg none)',
      (target) => reassembled(target, { header: { alg: 'none' }, signature: '' }),
      'api.error.unauthorized',
    ],
    ['whose signature was taken off', (target) => reassembled(target, { signature: '' }), 'api.error.unauthorized'],
    [
      'signed with the public key as a shared secret',
      (target, signer) =>
        signer.sign(approve(target), Buffer.from(signer.publicKey.x) as never, { alg: 'HS256', typ: 'device+jws' }),
      'api.error.unauthorized',
    ],
    [
      'signed with the key it carries itself',
      async (target, signer) => {
        const own = await createDeviceSigner({ service: unknownId, now: () => running.clock.now() })
        return signer.sign(approve(target), own.privateKey, {
          alg: 'ES256',
          typ: 'device+jws',
          jwk: own.publicKey,
        })
      },
      'api.error.unauthorized',
    ],
    [
      'signed as an answer to an approval',
      (target, signer) => signer.sign(approve(target), signer.privateKey, { alg: 'ES256', typ: 'approval+jws' }),
      'api.error.unauthorized',
    ],
    [
      'signed without a type',
      (target, signer) => signer.sign(approve(target), signer.privateKey, { alg: 'ES256' }),
      'api.error.unauthorized',
    ],
    [
      'signed for another path',
      (target, signer) => signer.sign({ ...approve(target), path: devicePaths.answer(unknownId) }),
      'api.error.unauthorized',
    ],
    [
      'signed for another method',
      (target, signer) => signer.sign({ ...approve(target), htm: 'GET' }),
      'api.error.unauthorized',
    ],
    [
      'signed for another service',
      (target, signer) => signer.sign({ ...approve(target), aud: unknownId }),
      'api.error.unauthorized',
    ],
    [
      'of a device that does not exist',
      (target, signer) => signer.sign({ ...approve(target), sub: unknownId }),
      'api.error.device.unknown',
    ],
    [
      'of no device',
      (target, signer) => signer.sign({ ...approve(target), sub: undefined }),
      'api.error.device.unknown',
    ],
    [
      'signed too long ago',
      (target, signer) => signer.sign({ ...approve(target), iat: running.clock.now() - 61 }),
      'api.error.device.clock',
    ],
    [
      'signed in the future',
      (target, signer) => signer.sign({ ...approve(target), iat: running.clock.now() + 61 }),
      'api.error.device.clock',
    ],
  ]

  it.each(forgeries)('a forged device call %s gets 401 and changes nothing', async (_what, forge, code) => {
    const target = await asked(running)

    const answer = await read(await target.device.post(target.path, await forge(target, target.signer)))

    expect([answer.status, answer.code]).toEqual([401, code])
    expect(answer.headers.get('www-authenticate')).toBe('Device')
    expect((await target.session(target.id)).state).toBe('pending')
  })

  inFullRun.each(['', 'x', 'a.b.c', '{}', '..', 'e30.e30.e30'])(
    'a malformed device call is rejected: %j',
    async (body) => {
      const { device, path } = await asked(running)

      expect([400, 401]).toContain((await device.post(path, body)).status)
    },
  )

  it('a device call with its clock a minute off is accepted', async () => {
    const { device, id, nonce } = await asked(running)

    const response = await device.answer(id, { nonce, decision: 'deny' }, { iat: running.clock.now() - 60 })

    expect(response.status).toBe(200)
  })

  it('a device call with its clock further off learns the right time, but only from the service it was signed for', async () => {
    const { device } = await asked(running)
    const iat = running.clock.now() - 3600

    const response = await device.inbox({}, { iat })
    const elsewhere = await device.inbox({}, { iat, aud: unknownId })

    expect(Date.parse(response.headers.get('date') ?? '') / 1000).toBe(running.clock.now())
    expect(await outcome(response)).toEqual([401, 'api.error.device.clock'])
    expect(await outcome(elsewhere)).toEqual([401, 'api.error.unauthorized'])
  })

  it('a device call without a signature cannot read the inbox', async () => {
    const response = await fetch(running.origin + devicePaths.requests)

    expect(await outcome(response)).toEqual([401, 'api.error.unauthorized'])
  })
})

describeInFullRun('a recorded call', () => {
  it('a recorded device call is carried out once, even when it is sent many times at once', async () => {
    const target = await asked(running)
    const jws = await target.signer.sign({
      htm: 'POST',
      path: target.path,
      nonce: target.nonce,
      decision: 'approve',
    })

    const outcomes = await Promise.all(
      Array.from({ length: 16 }, async () => outcome(await target.device.post(target.path, jws))),
    )

    expect(outcomes.filter(([status]) => status === 200)).toHaveLength(1)
    expect(outcomes.filter(([, code]) => code === 'api.error.device.replayed')).toHaveLength(15)
  })

  it('a recorded device call is rejected while its signature is valid, even right after a sweep of old ones', async () => {
    const fresh = await startService()
    const { ask, pending, device, signer } = await fresh.enroll('recorded')
    const betweenSweeps = 300
    await fresh.clock.advance(betweenSweeps - 120)
    const { id } = await ask()
    const path = devicePaths.answer(id)
    const content = { nonce: (await pending())[0]!.nonce, decision: 'approve', iat: fresh.clock.now() + 60 }
    const jws = await signer.sign({ htm: 'POST', path, ...content })
    await device.post(path, jws)

    await fresh.clock.advance(120)
    const young = await outcome(await device.post(path, jws))
    await fresh.clock.advance(1)
    const old = await outcome(await device.post(path, jws))
    await fresh.close()

    expect(young).toEqual([401, 'api.error.device.replayed'])
    expect(old).toEqual([401, 'api.error.device.clock'])
  })
})
