import { afterEach, describe, expect, it } from 'vitest'

import { type Clock, systemClock } from '../../src/ground/clock.ts'
import { createDevice } from '../../src/device/device.ts'
import { createTestClock } from '../../src/testing/clock.ts'
import { inFullRun } from '../support/full-run.ts'
import { activated, deviceAt, id, preview, refusal, scriptedService, type Reply } from './scripted-service.ts'

const nonce = 'AAAAAAAAAAAAAAAAAAAAAA'
const request = { id: id('e'), nonce }
const approved = { status: 200, body: { id: id('e'), state: 'approved' } }
const empty = { status: 200, headers: { etag: '"0"', 'preference-applied': 'wait=25' }, body: { requests: [] } }

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function deviceWith(options: Parameters<typeof createDevice>[0], ...script: readonly Reply[]) {
  const all = await deviceAt(options ?? {}, ...script)
  closing.push(all.close)
  return all
}

const notice = { id: id('9'), kind: 'device_added', domain: { id: id('d'), name: 'Wiki' }, createdAt: 1 }

/** Pauses take no time; timeouts never come. */
const eagerClock: Clock = {
  now: () => systemClock.now(),
  after(milliseconds, callback) {
    if (milliseconds >= 10_000) return () => {}
    const soon = setImmediate(callback)
    return () => clearImmediate(soon)
  },
}

describe('a signed call', () => {
  it('a signed call carries audience, device, method, path, time and a unique jti', async () => {
    const clock = createTestClock(1_800_000_000)
    const { device, account, calls } = await deviceWith({ clock }, empty, empty)

    await device.requests(account)
    await device.requests(account)

    expect(calls[0]).toMatchObject({ method: 'GET', path: '/mfa/device/requests' })
    expect(calls[0]?.signed).toEqual({
      aud: id('5'),
      sub: id('a'),
      htm: 'GET',
      path: '/device/requests',
      iat: 1_800_000_000,
      jti: expect.stringMatching(/^[\w-]{22}$/),
    })
    expect(calls[1]?.signed['jti']).not.toBe(calls[0]?.signed['jti'])
  })

  it('a signed call learns the offset of its clock from the service, and retries once', async () => {
    const clock = createTestClock(1_800_000_000)
    const futureDate = new Date(1_800_003_600_000).toUTCString()
    const { device, account, calls } = await deviceWith(
      { clock },
      refusal(401, 'api.error.device.clock', { date: futureDate }),
      empty,
    )

    await device.requests(account)

    expect(account.clockOffset).toBe(3600)
    expect(calls[1]?.signed['iat']).toBe(1_800_003_600)
  })

  it('a signed call stops retrying when the service still rejects the clock', async () => {
    const { device, account, calls } = await deviceWith({}, refusal(401, 'api.error.device.clock'))

    const attempt = device.requests(account)

    await expect(attempt).rejects.toMatchObject({ name: 'DeviceError', code: 'api.error.device.clock' })
    expect(calls).toHaveLength(2)
  })
})

describe('an error of a call', () => {
  it.each([
    ['the code of the service', refusal(403, 'api.error.device.revoked'), 'api.error.device.revoked'],
    ['bad_response for a code that nobody agreed on', refusal(418, 'api.error.teapot'), 'bad_response'],
    ['bad_response for content that nobody agreed on', { status: 200, body: { requests: 'none' } }, 'bad_response'],
    ['network for a connection that breaks', 'hangUp', 'network'],
  ] as const)('the error of a device’s call carries %s', async (_, reply, code) => {
    const { device, account } = await deviceWith({}, reply)

    const attempt = device.requests(account)

    await expect(attempt).rejects.toMatchObject({ name: 'DeviceError', code })
  })

  it('the error of a device’s call is a timeout when the service does not respond', async () => {
    const { device, account } = await deviceWith({ timeout: 1 }, 'never')

    const attempt = device.requests(account)

    await expect(attempt).rejects.toMatchObject({ name: 'DeviceError', code: 'timeout' })
  })

  it('the error of a device’s call carries the seconds to wait that the service names', async () => {
    const { device, account } = await deviceWith({}, refusal(429, 'api.error.toomanyrequests', { 'retry-after': '40' }))

    const attempt = device.requests(account)

    await expect(attempt).rejects.toMatchObject({ retryAfter: 40 })
  })
})

describe('activation', () => {
  it('activation creates a non-extractable key pair for this token alone', async () => {
    const service = await scriptedService(preview, activated)
    closing.push(service.close)
    const device = createDevice()

    const account = await device.activate(service.url, 'abcdefgh23', { name: 'Test' })
    const previewedAccount = await device.activate(service.url, 'abcdefgh23', { name: 'Test', preview: preview.body })

    expect(account.privateKey.extractable).toBe(false)
    expect(service.calls[1]?.signed['key']).not.toEqual(service.calls[2]?.signed['key'])
    expect(previewedAccount.domain).toEqual({ id: id('d'), name: 'Wiki', keyType: 'NONE' })
  })

  it('activation is retried with the same key when its answer was lost, also by a second call with the same preview', async () => {
    const lost = ['hangUp', 'hangUp', 'hangUp'] as const
    const service = await scriptedService(preview, ...lost, 'hangUp', activated)
    closing.push(service.close)
    const device = createDevice({ clock: eagerClock })
    const shown = await device.preview(service.url, 'abcdefgh23')
    const activate = () => device.activate(service.url, 'abcdefgh23', { name: 'Test', preview: shown })

    await expect(activate()).rejects.toMatchObject({ code: 'network' })
    await activate()

    const [, ...calls] = service.calls
    expect(calls).toHaveLength(5)
    expect(new Set(calls.map(({ signed }) => JSON.stringify(signed['key']))).size).toBe(1)
    expect(new Set(calls.map(({ signed }) => signed['jti'])).size).toBe(5)
  })

  it('activation does not waste one of the few attempts on a mistyped code', async () => {
    const service = await scriptedService(preview)
    closing.push(service.close)

    const attempt = createDevice().preview(service.url, 'abc')

    await expect(attempt).rejects.toMatchObject({ code: 'api.error.invalid.code' })
    expect(service.calls).toHaveLength(0)
  })
})

describe('an answer', () => {
  it('a device’s answer is retried with a new jti when it was lost', async () => {
    const { device, account, calls } = await deviceWith({ clock: eagerClock }, 'hangUp', 'hangUp', approved)

    const answered = await device.answer(account, request, { decision: 'approve', number: '47' })

    expect(answered).toEqual(approved.body)
    expect(calls).toHaveLength(3)
    for (const { signed } of calls) expect(signed).toMatchObject({ nonce, decision: 'approve', number: '47' })
    expect(new Set(calls.map(({ signed }) => signed['jti'])).size).toBe(3)
  })

  it('a device’s answer is not retried when the service rejected it', async () => {
    const { device, account, calls } = await deviceWith({ clock: eagerClock }, refusal(409, 'api.error.conflict.state'))

    const attempt = device.answer(account, request, { decision: 'approve' })

    await expect(attempt).rejects.toMatchObject({ code: 'api.error.conflict.state' })
    expect(calls).toHaveLength(1)
  })
})

describe('removing an account', () => {
  it('removing an account succeeds when the service has removed it already', async () => {
    const { device, account } = await deviceWith({}, refusal(403, 'api.error.device.revoked'))

    const attempt = device.remove(account)

    await expect(attempt).resolves.toBeUndefined()
  })
})

describe('watching', () => {
  const unchanged = { status: 304, headers: { 'preference-applied': 'wait=25' } }

  it('a watching device requests held calls, and sends the known etag', async () => {
    const stop = new AbortController()
    let count = 0
    const random = (length: number) => new Uint8Array(length).fill((count += 1))
    const { device, account, calls } = await deviceWith({ clock: eagerClock, random }, empty, unchanged, 'never')

    const watching = device.watch(account, { signal: stop.signal, onChange: () => {} })
    await until(() => calls.length === 3)
    stop.abort()
    await watching

    // Each for another time: those who begin together do not come back together.
    expect(calls.map(({ headers }) => [headers['prefer'], headers['if-none-match']])).toEqual([
      ['wait=24', undefined],
      ['wait=21', '"0"'],
      ['wait=34', '"0"'],
    ])
  })

  it('a watching device requests longer holds while no proxy cuts the calls, and the shortest once one does', async () => {
    const stop = new AbortController()
    const troubles: string[] = []
    const random = (length: number) => new Uint8Array(length)
    const unchangedPolls = [unchanged, unchanged, unchanged]
    const { device, account, calls } = await deviceWith(
      { clock: eagerClock, random },
      empty,
      ...unchangedPolls,
      'hangUp',
      ...unchangedPolls,
      'never',
    )

    const watching = device.watch(account, {
      signal: stop.signal,
      onChange: () => {},
      onDisconnect: ({ code }) => troubles.push(code),
    })
    await until(() => calls.length === 9)
    stop.abort()
    await watching

    expect(calls.map(({ headers }) => headers['prefer'])).toEqual(
      [25, 25, 40, 55, 55, 25, 25, 25, 25].map((seconds) => `wait=${seconds}`),
    )
    // The person is not told of what a proxy does.
    expect(troubles).toEqual([])
  })

  it('a watching device continues after an outage, and reports its end', async () => {
    const stop = new AbortController()
    const events: string[] = []
    const { device, account, calls } = await deviceWith(
      { clock: eagerClock },
      'hangUp',
      { status: 503 },
      empty,
      'never',
    )

    const watching = device.watch(account, {
      signal: stop.signal,
      onChange: (requests) => events.push(`${requests.length} requests`),
      onDisconnect: ({ code }) => events.push(code),
      onReconnect: () => events.push('reached'),
    })
    await until(() => calls.length === 4)
    stop.abort()
    await watching

    expect(events).toEqual(['network', 'bad_response', 'reached', '0 requests'])
  })

  it('a watching device increases the pause between retries up to half a minute', async () => {
    const stop = new AbortController()
    const pauses: number[] = []
    const clock: Clock = {
      now: () => systemClock.now(),
      after(milliseconds, callback) {
        // A call and its wait, however long that is.
        const ofCall = milliseconds > 60_000
        if (!ofCall) pauses.push(milliseconds)
        return ofCall ? () => {} : eagerClock.after(0, callback)
      },
    }
    const { device, account } = await deviceWith({ clock, timeout: 60_000 }, 'hangUp')

    const watching = device.watch(account, { signal: stop.signal, onChange: () => {} })
    await until(() => pauses.filter((each) => each === 30_000).length > 1)
    stop.abort()
    await watching

    expect(pauses.slice(0, 7)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  })

  it('a watching device stops when the service no longer accepts the account', async () => {
    const { device, account } = await deviceWith({}, refusal(403, 'api.error.device.revoked'))

    const watching = device.watch(account, { signal: new AbortController().signal, onChange: () => {} })

    await expect(watching).rejects.toMatchObject({ code: 'api.error.device.revoked' })
  })

  it('a watching device follows the event stream of its inbox, and stops polling', async () => {
    const stop = new AbortController()
    const changes: unknown[] = []
    const stream = { events: [{ requests: [] }, { requests: [], notices: [notice] }], ends: false }
    const { device, account, calls } = await deviceWith({}, empty, stream, 'never')

    const watching = device.watch(account, {
      signal: stop.signal,
      onChange: (requests) => changes.push(requests),
      onNotices: (notices) => changes.push(notices.length),
    })
    await until(() => changes.length === 6)
    stop.abort()
    await watching

    expect(changes).toEqual([[], 0, [], 0, [], 1])
    expect(calls.map(({ headers }) => headers['accept'])).toEqual(['*/*', expect.stringMatching('text/event-stream')])
  })

  it.each([
    ['ends', true, 0],
    ['says nothing for a minute', false, 60],
  ])('a watching device reopens its stream a moment after it %s', async (_how, ends, silence) => {
    const stop = new AbortController()
    const clock = createTestClock()
    let changeCount = 0
    const { device, account, calls } = await deviceWith({ clock }, empty, { events: [{ requests: [] }], ends }, 'never')

    const watching = device.watch(account, { signal: stop.signal, onChange: () => (changeCount += 1) })
    await until(() => changeCount === 2)
    await nextTurns()
    await clock.advance(silence)
    const atOnce = calls.length
    // The pause begins some turns later, when the stream is closed.
    await until(async () => (await clock.advance(1), calls.length === 3))
    stop.abort()
    await watching

    expect([atOnce, calls.length]).toEqual([2, 3])
  })

  inFullRun.each([
    ['says nothing at first', { events: [], ends: false } as const],
    ['is not answered, as behind a proxy that collects answers', 'never' as const],
  ])('a watching device uses held calls for five minutes where a stream %s', async (_how, silent) => {
    const stop = new AbortController()
    const clock = createTestClock()
    const troubles: string[] = []
    const { device, account, calls, streamsAsked } = await deviceWith({ clock }, empty, silent, unchanged)

    const watching = device.watch(account, {
      signal: stop.signal,
      onChange: () => {},
      onDisconnect: ({ code }) => troubles.push(code),
    })
    await until(() => streamsAsked() === 1)
    // How long it waits for the first event. Nothing after that waits for the clock, however slow the machine is.
    await clock.advance(5)
    await until(() => calls.length > 10)
    const [streamCount, earlierTroubles] = [streamsAsked(), [...troubles]]
    await clock.advance(300)
    await until(async () => (await clock.advance(1), streamsAsked() >= 2))
    stop.abort()
    await watching

    expect(streamCount).toBe(1)
    expect(calls.map(({ headers }) => headers['prefer']).slice(2, 5)).toEqual(
      Array.from({ length: 3 }, () => expect.stringMatching('^wait=')),
    )
    expect(earlierTroubles).toEqual([])
  })

  it('a watching device reads its list anew where held calls follow a stream, which may have changed it meanwhile', async () => {
    const stop = new AbortController()
    const clock = createTestClock()
    const changed = { events: [{ requests: [], notices: [notice] }], ends: true }
    const { device, account, calls } = await deviceWith({ clock }, empty, changed, unchanged)

    let hasNotice = false
    const onNotices = (notices: readonly unknown[]) => void (hasNotice ||= notices.length > 0)
    const watching = device.watch(account, { signal: stop.signal, onChange: () => {}, onNotices })
    // Time passes after the event of the stream: a stream that is silent for five seconds counts for none.
    await until(() => hasNotice)
    // The next stream is not one: something collects it, or the service holds too many.
    await until(async () => (await clock.advance(1), calls.length >= 4))
    stop.abort()
    await watching

    const { prefer, 'if-none-match': tag } = calls[3]?.headers ?? {}
    expect(prefer).toMatch(/^wait=/)
    // With the tag of the first list, which may be true again, the service would say that nothing has changed.
    expect(tag).toBeUndefined()
  })

  it('a watching device polls once a second where the service does not hold calls', async () => {
    const stop = new AbortController()
    const clock = createTestClock()
    const { device, account, calls } = await deviceWith({ clock }, { status: 200, body: { requests: [] } })

    const watching = device.watch(account, { signal: stop.signal, onChange: () => {} })
    await until(() => calls.length === 1)
    const before = calls.length
    await nextTurns()
    const atRest = calls.length
    await clock.advance(1)
    await until(() => calls.length === 2)
    stop.abort()
    await watching

    expect([before, atRest]).toEqual([1, 1])
  })
})

describe('createDevice', () => {
  it('createDevice() rejects invalid options', () => {
    expect(() => createDevice({ fetch: 'fetch' as never })).toThrow(TypeError)
    expect(() => createDevice({ colour: 'red' } as never)).toThrow(TypeError)
  })
})

/** Waits for something that real connections bring about. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve))
}

async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
