import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { describe, expect, it, onTestFinished } from 'vitest'

import { createClient } from '../../src/client/client.ts'
import { createTestClock } from '../../src/testing/clock.ts'

const v14 = 'application/vnd.service.v1+json; version=1.4'

const unavailable = { code: 'api.error.unavailable', message: 'no' }

interface Rejection {
  readonly unprocessed?: string
  readonly retryAfter?: string
  readonly outcome?: string
}

/** A service that rejects the first calls in these ways. */
async function start(rejections: readonly Rejection[], random = () => 0) {
  let requestCount = 0
  const keys: (string | undefined)[] = []
  const server = createServer((req, res) => {
    keys.push(req.headers['idempotency-key']?.toString())
    const rejection = rejections[requestCount]
    requestCount += 1
    if (!rejection) return res.writeHead(200, { 'Content-Type': v14 }).end('{"status":"OK"}')
    const headers = {
      'Content-Type': v14,
      ...(rejection.unprocessed && { Unprocessed: rejection.unprocessed }),
      'Retry-After': rejection.retryAfter ?? '1',
    }
    const { outcome } = rejection
    return res.writeHead(503, headers).end(JSON.stringify({ errors: [{ ...unavailable, outcome }] }))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const clock = createTestClock()
  const pauses: number[] = []
  const pauseListeners = new Set<() => void>()
  const after = (milliseconds: number, callback: () => void) => {
    pauses.push(milliseconds)
    for (const listener of pauseListeners) listener()
    return clock.after(milliseconds, callback)
  }
  const client = createClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: 'k'.repeat(64),
    version: '1.4',
    clock: { ...clock, after },
    random,
  })
  return {
    client,
    pauses,
    keys,
    countRequests: () => requestCount,
    /** Lets so many pauses pass, one after the other. */
    pass: async (count: number) => {
      for (let passed = 1; passed <= count; passed += 1) {
        if (pauses.length < passed) await new Promise<void>((resolve) => void pauseListeners.add(resolve))
        await clock.advance((pauses[passed - 1] ?? 0) / 1_000)
      }
    },
  }
}

const overload = { unprocessed: 'overload' }

describe('a call that the service rejected unprocessed', () => {
  it.each(['overload', 'closing'])(
    'a call rejected unprocessed (%s) is retried after the time that the service names',
    async (unprocessed) => {
      const { client, pass, pauses, countRequests } = await start([{ unprocessed, retryAfter: '2' }])

      const answer = client.ping()
      await pass(1)

      expect(await answer).toEqual({ status: 'OK' })
      expect([pauses, countRequests()]).toEqual([[2_000], 2])
    },
  )

  it('the retry of a call rejected unprocessed waits a random extra of up to half the pause', async () => {
    const { client, pass, pauses } = await start([{ ...overload, retryAfter: '2' }], () => 0.8)

    const answer = client.ping()
    await pass(1)
    await answer

    expect(pauses).toEqual([2_800])
  })

  it('a call rejected unprocessed is retried at most twice, and then fails with the time of the next try', async () => {
    const { client, pass, countRequests } = await start([overload, overload, overload, overload])

    const answer = client.ping().catch((error: unknown) => error)
    await pass(2)

    expect(await answer).toMatchObject({ status: 503, retryAfter: 1, unprocessed: 'overload' })
    expect(countRequests()).toBe(3)
  })

  it('a call rejected unprocessed is not retried when the pause is longer than a person waits', async () => {
    const { client, countRequests } = await start([{ ...overload, retryAfter: '7' }])

    await expect(client.ping()).rejects.toMatchObject({ retryAfter: 7 })
    expect(countRequests()).toBe(1)
  })

  it('a rejected call is not retried unless the service says that it did nothing', async () => {
    const { client, countRequests } = await start([{}])

    await expect(client.ping()).rejects.toMatchObject({ status: 503, unprocessed: undefined })
    expect(countRequests()).toBe(1)
  })

  it('a call rejected unprocessed is not retried while most calls are rejected', async () => {
    const many = Array.from({ length: 40 }, () => ({ ...overload, retryAfter: '7' }))
    const { client, countRequests } = await start([...many, overload])
    for (let count = 0; count < 40; count += 1) await client.ping().catch(() => undefined)

    await expect(client.ping()).rejects.toMatchObject({ retryAfter: 1 })
    expect(countRequests()).toBe(41)
  })
})

describe('a creating call', () => {
  const id = '1f'.repeat(20)
  const send = (client: Awaited<ReturnType<typeof start>>['client']) => client.sessions.sendCode(id, id, 'email')
  const unknown = { outcome: 'unknown' }

  it('a creating call whose outcome the service does not know is repeated once, with the same Idempotency-Key', async () => {
    const { client, pass, keys } = await start([unknown, unknown])

    const answer = send(client).catch((error: unknown) => error)
    await Promise.race([answer, pass(2)])

    expect(await answer).toMatchObject({ status: 503, outcome: 'unknown' })
    expect(keys).toHaveLength(2)
    expect(keys[0]).toMatch(/^"[0-9a-f-]{36}"$/)
    expect(keys[1]).toBe(keys[0])
  })

  it('each creating call has its own Idempotency-Key, and other calls have none', async () => {
    const { client, keys } = await start([{}, {}])

    await send(client).catch(() => undefined)
    await send(client).catch(() => undefined)
    await client.ping()

    expect(new Set(keys).size).toBe(3)
    expect(keys[2]).toBeUndefined()
  })

  it('a call without an Idempotency-Key is not repeated, although its outcome is unknown', async () => {
    const { client, countRequests } = await start([unknown])

    await expect(client.ping()).rejects.toMatchObject({ outcome: 'unknown' })
    expect(countRequests()).toBe(1)
  })
})
