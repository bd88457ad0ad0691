import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { heldRead, preferredWait } from '../../../../src/service/engine/http/held-read.ts'
import { createWaiters } from '../../../../src/service/engine/waiting/waiters.ts'
import { createTestClock } from '../../../../src/testing/clock.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { read, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

/** No other processes. */
const alone = { watchOtherProcesses: () => () => {}, notifyOtherProcesses: () => {} }

let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

describe('a held read of a session', () => {
  async function hold(username: string, wait = 25) {
    const enrolled = await running.enroll(username)
    const { id } = await enrolled.ask()
    const [request] = await enrolled.pending()
    const begun = running.clock.timerSet(Math.min(wait, 60))
    const answer = enrolled.held(id, wait)
    await begun
    return { ...enrolled, id, nonce: request!.nonce, answer }
  }

  inFullRun.each([
    ['approve', 'approved', undefined],
    ['deny', 'denied', 'user_denied'],
    ['report', 'denied', 'reported'],
  ])('a held read of a session answers at once when the device says %s', async (decision, state, reason) => {
    const { device, id, nonce, answer } = await hold(`wakes ${decision}`)

    await device.answer(id, { nonce, decision })

    const { json, headers } = await answer
    expect([json.state, json.reason]).toEqual([state, reason])
    expect(headers.get('preference-applied')).toBe('wait=25')
  })

  inFullRun('a held read of a session answers at once when the session is canceled', async () => {
    const { sessions, id, answer } = await hold('wakes cancel')

    await running.call('DELETE', `${sessions}/${id}`)

    expect((await answer).json.state).toBe('cancelled')
  })

  inFullRun('a held read of a session answers when the session expires', async () => {
    const { answer } = await hold('wakes expiry', 60)
    // Not 90, because the wait would end earlier.
    await running.clock.advance(60)
    expect((await answer).json.state).toBe('pending')

    const short = await startService({}, { requestTimeout: 20 })
    const { ask, held } = await short.enroll('expires')
    const { id } = await ask()
    const begun = short.clock.timerSet(20)
    const expiring = held(id, 60)
    await begun
    await short.clock.advance(20)

    expect((await expiring).json.state).toBe('expired')
    await short.close()
  })

  inFullRun('a held read of a session answers with the current state when the wait is over', async () => {
    const { answer } = await hold('over', 10)

    await running.clock.advance(10)

    const { json, headers } = await answer
    expect([json.state, headers.get('preference-applied')]).toEqual(['pending', 'wait=10'])
  })

  it('a read of a session is held for a minute at most', async () => {
    const { answer } = await hold('capped', 3600)

    await running.clock.advance(60)

    expect((await answer).headers.get('preference-applied')).toBe('wait=60')
  })

  it('a read of a session is not held if the caller does not ask for it, or asks for zero seconds', async () => {
    const { ask, session, held } = await running.enroll('at once')
    const { id } = await ask()

    const plain = await session(id)
    const zero = await held(id, 0)

    expect([plain.state, zero.json.state]).toEqual(['pending', 'pending'])
  })

  it('a read of a session is not held if the session is already settled', async () => {
    const { ask, sessions, held } = await running.enroll('settled')
    const { id } = await ask()
    await running.call('DELETE', `${sessions}/${id}`)

    const answer = await held(id, 25)

    expect([answer.json.state, answer.headers.get('preference-applied')]).toEqual(['cancelled', 'wait=25'])
  })

  inFullRun('a held read of a session answers with the current state when the service closes', async () => {
    const closing = await startService()
    const { ask, held } = await closing.enroll('closing')
    const { id } = await ask()
    const begun = closing.clock.timerSet(25)
    const answer = held(id, 25)
    await begun

    await closing.close()

    expect((await answer).json.state).toBe('pending')
  })
})

describe('a held inbox', () => {
  async function hold(username: string) {
    const enrolled = await running.enroll(username)
    const etag = (await enrolled.device.inbox()).headers.get('etag') ?? ''
    const begun = running.clock.timerSet(15)
    const answer = enrolled.device.inbox({ 'if-none-match': etag, prefer: 'wait=15' })
    await begun
    return { ...enrolled, etag, answer }
  }

  it('a held inbox answers at once when a session is created', async () => {
    const { ask, answer } = await hold('inbox create')

    const { id } = await ask()

    const { json, headers } = await read(await answer)
    expect(json.requests).toMatchObject([{ id }])
    expect(headers.get('preference-applied')).toBe('wait=15')
  })

  it('a held inbox answers 304 when nothing happens', async () => {
    const { answer, etag } = await hold('inbox nothing')

    await running.clock.advance(15)

    const response = await answer
    expect([response.status, response.headers.get('etag')]).toEqual([304, etag])
  })

  inFullRun('a held inbox answers at once when a request is canceled, and when it expires', async () => {
    const { ask, sessions, device } = await running.enroll('inbox cancel')
    for (const end of [(id: string) => running.call('DELETE', `${sessions}/${id}`), () => running.clock.advance(5)]) {
      const { id } = await ask()
      await running.clock.advance(85)
      const etag = (await device.inbox()).headers.get('etag') ?? ''
      const begun = running.clock.timerSet(15)
      const answer = device.inbox({ 'if-none-match': `W/${etag}`, prefer: 'wait=15' })
      await begun

      await end(id)

      expect((await read(await answer)).json.requests).toEqual([])
    }
  })

  it('an inbox is not held while the device has a different list, or none', async () => {
    const { device } = await running.enroll('inbox other')

    const responses = await Promise.all([
      device.inbox({ prefer: 'wait=15' }),
      device.inbox({ prefer: 'wait=15', 'if-none-match': '"other"' }),
    ])

    expect(responses.map((response) => response.status)).toEqual([200, 200])
  })
})

describe('a held read', () => {
  it('a held read ends when its reader disconnects', async () => {
    const res = new EventEmitter()
    const ctx = { clock: createTestClock(), waiters: createWaiters(alone) }
    const reading = heldRead(ctx, {
      key: 'thing',
      wait: 25,
      reader: res as ServerResponse,
      read: () => Promise.resolve('unchanged'),
      changesAt: () => Number.POSITIVE_INFINITY,
    })

    res.emit('close')

    expect(await reading).toBe('unchanged')
    expect(res.listenerCount('close')).toBe(0)
  })

  it('a held read misses no change that is made while it reads', async () => {
    const ctx = { clock: createTestClock(), waiters: createWaiters(alone) }
    const values = ['old', 'new']
    const reading = heldRead(ctx, {
      key: 'thing',
      wait: 25,
      reader: new EventEmitter() as ServerResponse,
      read() {
        const value = values.shift()
        ctx.waiters.wake('thing')
        return Promise.resolve(value)
      },
      changesAt: (value) => (value === 'old' ? Number.POSITIVE_INFINITY : undefined),
    })

    expect(await reading).toBe('new')
  })

  it('the service watches other processes only while a read is held', async () => {
    let watching = 0
    const waiters = createWaiters({
      ...alone,
      watchOtherProcesses() {
        watching += 1
        return () => void (watching -= 1)
      },
    })

    const [first, second] = [waiters.subscribe('a'), waiters.subscribe('b')]
    const during = watching
    first.end()
    second.end()

    expect([during, watching]).toEqual([1, 0])
  })
})

describe('Prefer', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['wait=25', 25],
    ['WAIT = 25', 25],
    ['wait="25"', 25],
    ['respond-async, wait=5; foo=bar', 5],
    ['wait=5, respond-async', 5],
    ['wait=61', 60],
    ['wait=999999999999', 60],
    ['wait=-1', undefined],
    ['wait=soon', undefined],
    ['await=5', undefined],
  ])('a request with Prefer: %j waits %s seconds', (header, seconds) => {
    expect(preferredWait(header)).toBe(seconds)
  })
})
