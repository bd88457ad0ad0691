import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { embedded } from '../../../../src/service/embedded.ts'
import { listen } from '../../../../src/service/engine/http/listen.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { openRaw } from '../../../support/raw-http.ts'
import type { RawAnswer, RawConnection } from '../../../support/raw-http.ts'
import { random128 } from '../../../support/device-signer.ts'
import { newUser, startService, v14 } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const limits = { requestsPerSecond: 1_000_000, triesPerAddress: 10_000, concurrentRequests: 1, responseTime: 600_000 }

let running: Running
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-overload-'))
})
const connections: RawConnection[] = []
afterEach(async () => {
  for (const connection of connections.splice(0)) connection.end()
  await running.close()
  rmSync(folder, { recursive: true })
})

/** A service that works on one request at a time, over a file that another process can lock. */
async function start() {
  const database = join(folder, 'mfa.sqlite')
  running = await startService({ database, limits })
  const door = await listen(running.service.listener, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => door.close())
  const connect = async () => {
    const connection = await openRaw(door.port)
    connections.push(connection)
    return connection
  }
  return {
    ...running,
    connect,
    /** Sends requests on one connection; the first waits for the database until all others are read. */
    atOnce: async (requests: readonly string[]) => {
      const connection = await connect()
      const other = new Sqlite(database)
      other.exec('BEGIN IMMEDIATE')
      connection.send(requests.join(''))
      // A response now proves that the requests sent before were read.
      await fetch(`http://127.0.0.1:${door.port}/healthz`)
      other.exec('ROLLBACK').close()
      const answers: RawAnswer[] = []
      for (const _ of requests) answers.push(await connection.answer())
      return answers
    },
  }
}

function write(method: string, path: string, body: unknown = {}): string {
  const text = JSON.stringify(body)
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Service key="${running.apiKey}"`,
    `Accept: ${v14}`,
  ]
  return [...head, `Content-Length: ${text.length}`, '', text].join('\r\n')
}

const createUsers = (count: number) =>
  Array.from({ length: count }, (_, index) => write('POST', '/api/users', newUser(`user-${index}`)))

describe('requests beyond the concurrency limit', () => {
  it('requests beyond the concurrency limit get 503 with Retry-After, and have no effect', async () => {
    const { atOnce } = await start()

    const answers = await atOnce(createUsers(5))

    expect(answers.map(({ status }) => status)).toEqual([200, 503, 503, 503, 503])
    for (const { body, headers } of answers.slice(1)) {
      expect(JSON.parse(body).errors[0].code).toBe('api.error.unavailable')
      expect([headers.get('unprocessed'), headers.get('connection')]).toEqual(['overload', 'keep-alive'])
      expect(['1', '2', '3']).toContain(headers.get('retry-after'))
    }
    const users = (await running.call('GET', '/users')).json as { username: string }[]
    expect(users.map(({ username }) => username)).toEqual(['user-0'])
  })

  it('requests beyond the concurrency limit get different Retry-After times, so that they do not return together', async () => {
    const { atOnce } = await start()

    const answers = await atOnce(createUsers(60))

    expect(new Set(answers.flatMap(({ headers }) => headers.get('retry-after') ?? [])).size).toBeGreaterThan(1)
  })

  it('overload does not prevent an approval from completing: the device answers, and the app redeems', async () => {
    const { atOnce } = await start()
    const { ask, pending, device, sessions } = await running.enroll('approves')
    const challenge = random128()
    const { id } = await ask({ challenge })
    const [request] = await pending()
    await device.answer(id, { nonce: request!.nonce, decision: 'approve' })

    const [, preview, answer, redeemed] = await atOnce([
      ...createUsers(1),
      write('POST', '/device/preview'),
      write('POST', `/device/requests/${id}/answer`),
      write('POST', `/api${sessions}/${id}/redeem`, { challenge }),
    ])

    // The answer is processed: it gets 400 because nothing in it is signed.
    expect([preview?.status, answer?.status, redeemed?.status]).toEqual([503, 400, 200])
  })

  inFullRun('requests beyond the concurrency limit do not affect the health and readiness checks', async () => {
    const { atOnce } = await start()

    const answers = await atOnce([...createUsers(2), write('GET', '/healthz'), write('GET', '/readyz')])

    expect(answers.map(({ status }) => status)).toEqual([200, 503, 200, 200])
  })

  inFullRun('requests beyond the concurrency limit are reported once a minute', async () => {
    const { atOnce } = await start()

    const reports = () =>
      running.logged.filter(({ message }) => message === 'overloaded: some requests are rejected').length

    await atOnce(createUsers(20))
    running.clock.skip(59)
    await atOnce(createUsers(20))
    const withinMinute = reports()
    running.clock.skip(1)
    await atOnce(createUsers(20))

    expect([withinMinute, reports()]).toEqual([1, 2])
  })

  it('the concurrency limit does not include held reads and event streams', async () => {
    await start()
    const { ask, held } = await running.enroll('held')
    const { id } = await ask()
    const waits = running.clock.timerSet(90)
    const answer = held(id, 25)
    await waits
    const stream = await fetch(`${running.origin}/api/domains/${running.domain.id}/sessions/events`, {
      headers: { accept: v14, authorization: `Service key="${running.apiKey}"` },
    })

    const other = await running.call('POST', '/users', { body: newUser('other') })

    expect(other.status).toBe(200)
    await stream.body?.cancel()
    await running.clock.advance(25)
    await answer
  })

  it('the concurrency limit does not include requests whose body never arrives', async () => {
    const { connect, atOnce } = await start()
    for (let count = 0; count < 3; count += 1) {
      const slow = await connect()
      slow.send('POST /device/preview HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{')
      // A later request is answered, so its head has been read.
      await atOnce([write('GET', '/healthz')])
    }

    expect((await running.call('POST', '/users', { body: newUser('quick') })).status).toBe(200)
  })

  it('an embedded service accepts requests beyond the concurrency limit, because its app is its only caller', async () => {
    running = await startService()
    const service = embedded({ database: ':memory:', limits: { concurrentRequests: 1 } })
    onTestFinished(() => service.close())
    const { baseUrl, apiKey, fetch: call = fetch } = await service.connect()

    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const headers = { authorization: `Service key="${apiKey}"` }
        return (await call(`${baseUrl}/ping`, { headers })).status
      }),
    )

    expect(new Set(statuses)).toEqual(new Set([200]))
  })
})
