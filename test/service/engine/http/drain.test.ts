import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { readEvents } from '../../../../src/contract/read-events.ts'
import { listen } from '../../../../src/service/engine/http/listen.ts'
import type { Listening } from '../../../../src/service/engine/http/listen.ts'
import { openRaw } from '../../../support/raw-http.ts'
import { random128 } from '../../../support/device-signer.ts'
import { newUser, read, startService, v14 } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { inFullRun } from '../../../support/full-run.ts'

let running: Running
beforeEach(async () => {
  running = await startService()
})
afterEach(() => running.close())

const ready = async () => (await fetch(`${running.origin}/readyz`)).status

const openStream = () =>
  fetch(`${running.origin}/api/domains/${running.domain.id}/sessions/events`, {
    headers: { accept: v14, authorization: `Service key="${running.apiKey}"` },
  })

describe('a draining service', () => {
  it('a draining service is healthy, but not ready', async () => {
    const before = await ready()
    running.service.drain()

    expect([before, await ready()]).toEqual([200, 503])
    expect((await fetch(`${running.origin}/healthz`)).status).toBe(200)
  })

  it('a draining service answers a held read of a session at once with its current state', async () => {
    const { ask, held } = await running.enroll('waits')
    const { id } = await ask()
    // The read is held once the session, which expires in 90 seconds, has been read.
    const waits = running.clock.timerSet(90)
    const answer = held(id, 25)
    await waits

    running.service.drain()

    expect((await answer).json.state).toBe('pending')
  })

  inFullRun('a draining service answers a held inbox at once', async () => {
    const { device } = await running.enroll('inbox')
    const etag = (await device.inbox()).headers.get('etag') ?? ''
    const begun = running.clock.timerSet(25)
    const answer = device.inbox({ prefer: 'wait=25', 'if-none-match': etag })
    await begun

    running.service.drain()

    expect((await answer).status).toBe(304)
  })

  it('a draining service ends event streams cleanly', async () => {
    const events = readEvents((await openStream()).body!)
    await events.next()

    running.service.drain()

    const rest: unknown[] = []
    for await (const batch of events) rest.push(...batch)
    expect(rest).toEqual([])
  })

  it('a draining service holds no new read and says so, so that its caller does not retry at once', async () => {
    const { ask, held, device } = await running.enroll('later')
    const { id } = await ask()
    const etag = (await device.inbox()).headers.get('etag') ?? ''
    running.service.drain()

    const session = await held(id, 25)
    const inbox = await device.inbox({ prefer: 'wait=25', 'if-none-match': etag })

    expect([session.json.state, session.headers.has('preference-applied')]).toEqual(['pending', false])
    expect([inbox.status, inbox.headers.has('preference-applied')]).toEqual([304, false])
  })

  it('a draining service refuses a new event stream, which would end at once', async () => {
    running.service.drain({ serveNew: true })

    const { status, headers, code } = await read(await openStream())

    expect([status, code, headers.get('retry-after')]).toEqual([503, 'api.error.unavailable', '1'])
  })

  it('a draining service refuses requests that begin something with 503, Retry-After, and the statement that nothing was done', async () => {
    running.service.drain()

    const { status, code, headers } = await running.call('POST', '/users', { body: newUser('new') })

    expect([status, code]).toEqual([503, 'api.error.unavailable'])
    expect(['retry-after', 'unprocessed', 'connection'].map((name) => headers.get(name))).toEqual([
      '1',
      'closing',
      'close',
    ])
    expect((await running.call('GET', '/users?username=new')).status).toBe(404)
  })

  it('a draining service serves the approval of a sign-in in progress, from the device to the redemption', async () => {
    const { ask, pending, device, sessions } = await running.enroll('under way')
    const challenge = random128()
    const { id } = await ask({ challenge })
    running.service.drain()

    const [request] = await pending()
    const answered = await device.answer(id, { nonce: request!.nonce, decision: 'approve' })
    const redeemed = await running.call('POST', `${sessions}/${id}/redeem`, { body: { challenge } })

    expect([answered.status, redeemed.status, redeemed.json.state]).toEqual([200, 200, 'approved'])
  })

  inFullRun('a draining service serves everything when the next process takes over its listening socket', async () => {
    running.service.drain({ serveNew: true })

    expect((await running.call('POST', '/users', { body: newUser('new') })).status).toBe(200)
  })
})

describe('a draining listener', () => {
  let door: Listening
  beforeEach(async () => {
    door = await listen(running.service.listener, { host: '127.0.0.1', port: 0 })
  })
  afterEach(() => door.close())
  const health = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'

  it('a draining listener keeps serving, but keeps no connection alive, neither new nor existing', async () => {
    const connection = await openRaw(door.port)
    connection.send(health)
    const before = await connection.answer()

    door.drain()
    connection.send(health)
    const after = await connection.answer()
    const fresh = await openRaw(door.port)
    fresh.send(health)
    const first = await fresh.answer()
    await Promise.all([connection.closed, fresh.closed])

    expect([before, after, first].map(({ status }) => status)).toEqual([200, 200, 200])
    expect([before, after, first].map(({ headers }) => headers.get('connection'))).toEqual([
      'keep-alive',
      'close',
      'close',
    ])
  })

  it('a draining listener closes a connection after the response in progress', async () => {
    const { ask, sessions } = await running.enroll('held over')
    const { id } = await ask()
    const connection = await openRaw(door.port)
    const timer = running.clock.timerSet(60)
    const key = `Authorization: Service key="${running.apiKey}"`
    connection.send(`GET /api${sessions}/${id} HTTP/1.1\r\nHost: x\r\nPrefer: wait=60\r\n${key}\r\n\r\n`)
    await timer

    door.drain()
    running.service.drain()
    const answer = await connection.answer()
    await connection.closed

    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
  })
})

describe('a closing listener', () => {
  it('a closing listener answers the first request of a connection that was opened just before', async () => {
    const timeouts = { firstRequest: 10_000 }
    const door = await listen(running.service.listener, { host: '127.0.0.1', port: 0, timeouts })
    const connection = await openRaw(door.port)

    const gone = door.close()
    // Closing has begun by then: new connections are refused.
    for (let attempt = 0; attempt < 20; attempt += 1) await openRaw(door.port).catch(() => undefined)
    connection.send('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    const { status } = await connection.answer()
    await gone

    expect(status).toBe(200)
  })
})
