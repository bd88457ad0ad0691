import express from 'express'
import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'

import { createService } from '../../../../src/service/index.ts'
import type { Service, ServiceOptions } from '../../../../src/service/index.ts'
import { createReadAddress } from '../../../../src/service/engine/http/client-address.ts'
import { TrustProxy } from '../../../../src/service/engine/http/trust-proxy.ts'
import { listen } from '../../../../src/service/engine/http/listen.ts'
import { createTestClock } from '../../../../src/testing/clock.ts'
import { previewCode } from '../../../support/device-signer.ts'
import { inFullRun } from '../../../support/full-run.ts'

const settings = [
  0,
  1,
  2,
  'loopback',
  'loopback, 10.0.0.0/8',
  'fd00::/8,127.0.0.1',
  'uniquelocal',
  '10.0.0.0/255.0.0.0',
]

/** A request as Node.js represents it: from this peer, with this X-Forwarded-For. */
function requestFrom(remoteAddress: string | undefined, forwarded: string | undefined) {
  const socket = { remoteAddress }
  return { headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }, socket, connection: socket }
}

const addressOf = (trusted: unknown, from: string | undefined, forwarded?: string) =>
  createReadAddress(TrustProxy.parse(trusted))(requestFrom(from, forwarded) as never)

describe('the address of a caller', () => {
  const hop = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.constantFrom('127.0.0.1', '10.1.2.3', 'fd00::1', '::1', '::ffff:127.0.0.1', '192.168.0.1', 'unknown'),
  )

  inFullRun('the address of a caller is the one that Express reports with the same setting', () => {
    const trust = fc.constantFrom(...settings.slice(0, -1))
    fc.assert(
      fc.property(trust, hop, fc.array(hop, { maxLength: 5 }), (trusted, from, hops) => {
        const app = express()
        app.set('trust proxy', trusted)
        const expressRequest = Object.assign(Object.create(app.request), requestFrom(from, hops.join(', ')), { app })

        const whole = { ip: expressRequest.ip, ...requestFrom(from, undefined) }
        expect(addressOf(trusted, from, hops.join(', '))).toBe(createReadAddress()(whole as never))
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['no proxy is trusted', 0, '127.0.0.1', '127.0.0.1'],
    ['its peer is not in a trusted network', '10.0.0.0/8', '127.0.0.1', '127.0.0.1'],
    ['its peer is trusted', 'loopback', '::ffff:127.0.0.1', '198.51.100.7'],
    ['one hop is trusted', 1, '192.0.2.1', '198.51.100.7'],
    ['one hop is trusted, as text', '1', '192.0.2.1', '198.51.100.7'],
  ])(
    'when %s, the address of a caller is the one that trusted proxies saw, never the one that the caller claims',
    (_what, trusted, from, address) => {
      expect(addressOf(trusted, from, '203.0.113.66, 198.51.100.7')).toBe(address)
    },
  )

  it('the address of a caller has no port, even if trusted proxies add ports', () => {
    expect(addressOf('10.0.0.0/8', '10.0.0.1', '198.51.100.7:4711, 10.0.0.2:8080')).toBe('198.51.100.7')
    expect(addressOf(1, '10.0.0.1', '[2001:db8::7]:443')).toBe('2001:db8::7')
  })

  it.each(['unknown', '_hidden', 'x'.repeat(200)])(
    'the address of a caller is unknown when a trusted proxy says %j',
    (forwardedFor) => {
      expect(addressOf(1, '10.0.0.1', `198.51.100.7, ${forwardedFor}`)).toBeUndefined()
    },
  )

  it('the address of a caller is unknown once the caller has disconnected', () => {
    expect(addressOf(1, undefined, '198.51.100.7')).toBeUndefined()
  })
})

describe('the option trustProxy', () => {
  it.each([[1], ['1'], ['loopback'], ['10.0.0.0/8,fd00::/8'], [['loopback', '192.0.2.1']]])(
    'the option trustProxy accepts %j',
    (value) => {
      expect(TrustProxy.safeParse(value).success).toBe(true)
    },
  )

  it.each([
    [true],
    [-1],
    [1.5],
    [''],
    ['everybody'],
    ['0.0.0.0/0'],
    ['::/0'],
    ['10.0.0.0/33'],
    ['1.2'],
    ['loopback,'],
    ['999'],
    ['1, loopback'],
    [['10.0.0.1:80']],
  ])('the option trustProxy rejects %j', (value) => {
    expect(TrustProxy.safeParse(value).success).toBe(false)
  })

  it('the option trustProxy is named in the error when it is invalid', async () => {
    await expect(createService({ database: ':memory:', trustProxy: 'everybody' })).rejects.toThrow(
      /trustProxy: must be the number of proxies/,
    )
  })
})

describe('limits by address behind a proxy', () => {
  const closing: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })

  const open = async (options: Partial<ServiceOptions>): Promise<Service> => {
    const limits = { triesPerAddress: 2, requestsPerSecond: 2 }
    const service = await createService({ database: ':memory:', clock: createTestClock(), limits, ...options })
    closing.push(() => service.close())
    return service
  }

  const serve = async (listener: Service['listener']) => {
    const door = await listen(listener, { host: '127.0.0.1', port: 0 })
    closing.unshift(() => door.close())
    const origin = `http://127.0.0.1:${door.port}`
    return {
      guess: async (from: string) => (await previewCode(origin, 'aaaaaaaaaa', { 'x-forwarded-for': from })).status,
      ask: async (from: string) =>
        (await fetch(`${origin}/api/organization`, { headers: { 'x-forwarded-for': from } })).status,
    }
  }

  it('limits by address count each phone behind a proxy separately, an IPv6 network as one, and nothing by the code', async () => {
    const { guess } = await serve((await open({ trustProxy: 1 })).listener)
    const statuses: number[] = []
    for (const from of ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2']) statuses.push(await guess(from))
    for (const from of ['2001:db8::1', '2001:db8::2:3', '2001:db8::4', '2001:db8:0:1::1'])
      statuses.push(await guess(from))

    expect(statuses).toEqual([404, 404, 429, 404, 404, 404, 429, 404])
  })

  it('limits behind a proxy count requests without a key by the address of the caller', async () => {
    const { ask } = await serve((await open({ trustProxy: 1 })).listener)
    const statuses: number[] = []
    for (const from of ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2']) statuses.push(await ask(from))

    expect(statuses).toEqual([401, 401, 429, 401])
  })

  it('limits by address ignore the addresses that an untrusted caller claims', async () => {
    const { guess } = await serve((await open({ trustProxy: '10.0.0.0/8' })).listener)

    expect([await guess('192.0.2.1'), await guess('192.0.2.2'), await guess('192.0.2.3')]).toEqual([404, 404, 429])
  })

  it.each([
    ['trusts the proxy', 1, undefined, [404, 404, 404]],
    ['trusts no proxy', false, 1, [404, 404, 429]],
  ])(
    'limits by address follow the setting of an Express app around the service: one that %s',
    async (_what, app, option, expected) => {
      const service = await open({ trustProxy: option })
      const outerApp = express().set('trust proxy', app).use(service.routes)
      const { guess } = await serve(outerApp)

      expect([await guess('192.0.2.1'), await guess('192.0.2.2'), await guess('192.0.2.3')]).toEqual(expected)
    },
  )
})
