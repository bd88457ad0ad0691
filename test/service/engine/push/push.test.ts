import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { devicePaths } from '../../../../src/contract/device.ts'
import { createService } from '../../../../src/service/index.ts'
import { noObserver } from '../../../../src/service/engine/monitoring/observer.ts'
import { createPusher } from '../../../../src/service/engine/push/pusher.ts'
import type { PusherParts } from '../../../../src/service/engine/push/pusher.ts'
import { openSqliteStore } from '../../../../src/service/engine/database/sqlite.ts'
import type { Store } from '../../../../src/service/engine/database/store.ts'
import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { startPushService, verifySender } from '../../../support/push-service.ts'
import type { PushService } from '../../../support/push-service.ts'
import { unique } from '../../features/codes/code-holder.ts'
import { read, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let pushes: PushService
let running: Running

beforeEach(async () => {
  pushes = await startPushService()
  running = await startService({ push: { agent: pushes.agent(), subject: 'mailto:admin@example.com' } })
})
afterEach(async () => {
  await running.close()
  await pushes.close()
})

/** A user whose authenticator can be woken. */
async function subscribed() {
  const subscription = pushes.subscribe()
  const person = await running.enroll(unique(), { push: subscription })
  const state = async () => (await read(await person.device.get(devicePaths.push))).json
  return { ...person, subscription, state, waits: untilForgotten(state) }
}

/** Deliveries end in the background: polls until their effect is visible. */
const untilForgotten = (state: () => Promise<{ endpoint?: string }>) => async () => {
  while ((await state()).endpoint !== undefined) await new Promise<void>((resolve) => void setImmediate(resolve))
}

/** Advances the time until one more message has arrived. */
async function nextMessage(seconds: number): Promise<void> {
  const expectedCount = pushes.messages.length + 1
  const timer = running.clock.timerSet(seconds)
  await timer
  const received = pushes.received(expectedCount)
  await running.clock.advance(seconds)
  await received
}

const warnings = () => running.logged.filter(({ message }) => message === 'push message not delivered')

async function untilWarned(): Promise<void> {
  while (warnings().length === 0) await new Promise<void>((resolve) => void setImmediate(resolve))
}

describe('a test', () => {
  it('a push test sends one message of its own kind to the device that asks, and creates no session', async () => {
    const { device, subscription, pending } = await subscribed()
    await subscribed()

    const { json } = await read(await device.call(devicePaths.testPush))
    await pushes.received(1)

    expect(json).toEqual({ id: expect.any(String), sent: true })
    expect(pushes.messages.map(({ path, json: message }) => [path, message])).toEqual([
      [new URL(subscription.endpoint).pathname, { test: json.id }],
    ])
    expect(await pending()).toEqual([])
    expect((await read(await device.answer(json.id, { nonce: 'A'.repeat(22), decision: 'approve' }))).code).toBe(
      'api.error.notfound.session',
    )
  })

  it('a push test can be asked for five times an hour by each device', async () => {
    const first = await subscribed()
    const second = await subscribed()
    const statuses: number[] = []
    for (let round = 0; round < 6; round += 1) statuses.push((await first.device.call(devicePaths.testPush)).status)

    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    expect((await second.device.call(devicePaths.testPush)).status).toBe(200)
    running.clock.skip(60 * 60)
    expect((await first.device.call(devicePaths.testPush)).status).toBe(200)
  })

  inFullRun('a push test says that nothing was sent where the service has no subscription', async () => {
    const { device } = await running.enroll(unique())

    expect((await read(await device.call(devicePaths.testPush))).json).toMatchObject({ sent: false })
  })
})

describe('a session', () => {
  it('a session wakes the device with a push message that carries its id and nothing else', async () => {
    const { ask, subscription } = await subscribed()

    const { id } = await ask({ numberMatching: true, attributes: [{ key: 'Browser', value: 'Firefox' }] })
    await pushes.received(1)

    expect(pushes.messages[0]!.path).toBe(new URL(subscription.endpoint).pathname)
    expect(pushes.messages[0]!.json).toEqual({ session: id })
  })

  inFullRun(
    'a session sends an urgent push message that lives as long as the session is pending, with its own topic',
    async () => {
      const { ask } = await subscribed()

      const { id } = await ask()
      await pushes.received(1)

      const { ttl, urgency, topic, 'content-encoding': coding } = pushes.messages[0]!.headers
      expect({ ttl, urgency, topic, coding }).toEqual({
        ttl: '90',
        urgency: 'high',
        topic: id.slice(0, 32),
        coding: 'aes128gcm',
      })
    },
  )

  inFullRun('a session sends push messages signed with the key that the device received', async () => {
    const { ask, state } = await subscribed()
    const { pushKey } = await state()

    await ask()
    await pushes.received(1)

    const { payload, key } = await verifySender(pushes.messages[0]!, pushKey)
    expect(key).toBe(pushKey)
    expect(payload).toMatchObject({ aud: 'https://fcm.googleapis.com', sub: 'mailto:admin@example.com' })
  })

  inFullRun('a session is created without waiting for the push service', async () => {
    const { ask } = await subscribed()
    pushes.reply(() => {})

    const session = await ask()

    expect(session.state).toBe('pending')
  })

  inFullRun('a session sends no push message if a code was given', async () => {
    const { ask } = await subscribed()

    await ask({ otp: '000000' })
    await ask()
    await pushes.received(1)

    expect(pushes.messages.length).toBe(1)
  })
})

describe('a message that is not accepted', () => {
  inFullRun(
    'a push message that is not accepted is sent again after longer and longer pauses while the session is pending',
    async () => {
      const { ask } = await subscribed()
      pushes.reply(503, 500, (res) => void res.destroy(), 201)

      const { id } = await ask()
      await pushes.received(1)
      await nextMessage(1)
      await nextMessage(2)
      await nextMessage(4)

      expect(pushes.messages.map(({ text }) => text)).toEqual(Array(4).fill(JSON.stringify({ session: id })))
      expect(pushes.messages.map(({ headers }) => headers.ttl)).toEqual(['90', '89', '87', '83'])
    },
  )

  inFullRun('a push message is retried after the delay that the push service requests', async () => {
    const { ask } = await subscribed()
    pushes.reply((res) => void res.writeHead(429, { 'retry-after': '20' }).end())

    await ask()
    await nextMessage(20)

    expect(pushes.messages.length).toBe(2)
  })

  inFullRun('a push message that is not accepted is abandoned when the session is answered', async () => {
    const { ask, device, pending } = await subscribed()
    pushes.reply(503)
    const timer = running.clock.timerSet(1)
    const { id } = await ask()
    await timer
    const [request] = await pending()

    await device.answer(id, { nonce: request!.nonce, decision: 'deny' })
    await running.clock.advance(60)
    await ask()
    await pushes.received(2)

    expect(pushes.messages.filter(({ text }) => text.includes(id)).length).toBe(1)
  })

  inFullRun('a push message is abandoned when no time is left, and this is logged without its endpoint', async () => {
    const { ask, subscription } = await subscribed()
    pushes.reply((res) => void res.writeHead(503, { 'retry-after': '90' }).end())

    const { id } = await ask()
    await untilWarned()

    expect(warnings()).toMatchObject([{ details: { status: 503 } }])
    expect(JSON.stringify(running.logged)).not.toContain(new URL(subscription.endpoint).pathname)
    expect(pushes.messages.map(({ json }) => json)).toEqual([{ session: id }])
  })

  inFullRun('a push message times out after 5 seconds', async () => {
    const { ask } = await subscribed()
    pushes.reply(() => {})
    const begun = running.clock.timerSet(5)

    await ask()
    await begun
    await pushes.received(1)
    const retryTimer = running.clock.timerSet(1)
    await running.clock.advance(5)
    await retryTimer
    await running.clock.advance(1)
    await pushes.received(2)

    expect(pushes.messages.length).toBe(2)
  })

  inFullRun.each([400, 401, 403, 413])(
    'a push message answered with %i is not sent again, but the next one is',
    async (status) => {
      const { ask, state, subscription } = await subscribed()
      pushes.reply(status)

      await ask()
      await untilWarned()
      const { id } = await ask()
      await pushes.received(2)

      expect(warnings()).toMatchObject([{ details: { status } }])
      expect(pushes.messages[1]!.json).toEqual({ session: id })
      expect((await state()).endpoint).toBe(subscription.endpoint)
    },
  )

  inFullRun.each([404, 410])('a push message answered with %i ends the subscription', async (status) => {
    const { ask, waits } = await subscribed()
    pushes.reply(status)

    await ask()
    await waits()
    await ask()

    expect(pushes.messages.length).toBe(1)
    expect(warnings()).toEqual([])
  })

  it('a push message that is not accepted does not end a subscription that the device has replaced meanwhile', async () => {
    const { ask, device, state } = await subscribed()
    const other = pushes.subscribe()
    let answerNow = () => {}
    pushes.reply((res) => void (answerNow = () => void res.writeHead(410).end()))
    await ask()
    await pushes.received(1)

    await device.push(other)
    answerNow()
    const { id } = await ask()
    await pushes.received(2)

    expect((await state()).endpoint).toBe(other.endpoint)
    expect(pushes.messages[1]!.json).toEqual({ session: id })
  })

  it('a push message that is not accepted does not settle the session: the user can open the device by hand', async () => {
    const { ask, session, waits, pending } = await subscribed()
    pushes.reply(410)

    const { id } = await ask()
    await waits()

    expect(await session(id)).toMatchObject({ state: 'pending' })
    expect(await pending()).toMatchObject([{ id }])
  })
})

describeInFullRun('a subscription', () => {
  it('a push subscription is set, renewed and removed by its device', async () => {
    const { device } = await running.enroll(unique())
    const [first, second] = [pushes.subscribe(), pushes.subscribe()]
    const endpoint = async () => (await read(await device.get(devicePaths.push))).json.endpoint

    const before = await endpoint()
    const set = await read(await device.push(first))
    const between = await endpoint()
    await device.push(second)
    const renewed = await endpoint()
    await device.push(null)

    expect(set.json).toEqual({ endpoint: first.endpoint, pushKey: expect.stringMatching(/^B[\w-]{86}$/) })
    expect([before, between, renewed, await endpoint()]).toEqual([
      undefined,
      first.endpoint,
      second.endpoint,
      undefined,
    ])
  })

  inFullRun('a push subscription is removed with its device', async () => {
    const { device } = await subscribed()
    await device.remove()

    const answers = [await device.push(pushes.subscribe()), await device.get(devicePaths.push)]

    expect(await Promise.all(answers.map(async (answer) => (await read(answer)).code))).toEqual(
      Array(2).fill('api.error.device.revoked'),
    )
  })
})

describe('the outcome of messages', () => {
  inFullRun('the outcome of push messages is counted', async () => {
    const token = 'a-token-of-some-length'
    const push = { agent: pushes.agent() }
    const counting = await startService({ push, metrics: { token } })
    try {
      const { ask } = await counting.enroll(unique(), { push: pushes.subscribe() })
      pushes.reply(201, 400)
      await ask()
      await ask()
      await pushes.received(2)
      const figures = async () =>
        (await fetch(`${counting.origin}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text()
      let text = ''
      while (!/refused/.test(text) || !/sent/.test(text)) text = await figures()

      expect(text).toContain('second_factor_push_messages_total{outcome="sent"} 1\n')
      expect(text).toContain('second_factor_push_messages_total{outcome="refused"} 1\n')
    } finally {
      await counting.close()
    }
  })

  /** Of a pusher none of whose messages gets as far as being encrypted. */
  const parts = (store: Store): PusherParts => ({
    store,
    ...({} as Pick<PusherParts, 'secrets' | 'webPush'>),
    keys: { publicKey: '', privateKey: '', subject: '' },
    clock: running.clock,
    logger: console,
    observer: noObserver,
    failures: { covers: () => false },
    hosts: [],
    agent: pushes.agent(),
  })

  it.each([
    ['is logged when it could not be sent', false, ['push message could not be sent']],
    ['is not logged when the log names the outage of the database that is the reason', true, []],
  ])('a push message %s', async (_, isCovered, expected) => {
    const store = await openSqliteStore(':memory:')
    await store.close()
    const lines: string[] = []
    const logger = { ...console, warn: (_facts: object, line: string) => void lines.push(line) }
    const failed = Promise.withResolvers<void>()
    const covers = () => {
      failed.resolve()
      return isCovered
    }
    const pusher = createPusher({ ...parts(store), logger, failures: { covers } })

    pusher.tell({ id: '1', expiresAt: Infinity })
    await failed.promise
    await pusher.close()

    expect(lines).toEqual(expected)
  })

  it('a push message is reported as dropped when too many are queued', async () => {
    const outcomes: string[] = []
    const store = await openSqliteStore(':memory:')
    const observer = { ...noObserver, pushed: (outcome: string) => void outcomes.push(outcome) }
    const pusher = createPusher({ ...parts(store), observer })

    for (let count = 0; count < 10_002; count += 1) pusher.tell({ id: String(count), expiresAt: Infinity })
    await pusher.close()
    await store.close()

    expect(outcomes).toEqual(['dropped', 'dropped'])
  })
})

describeInFullRun('the option push', () => {
  it.each([
    [{ subject: 'nobody' }, 'push.subject: must begin with https: or mailto:'],
    [{ hosts: ['https://push.example'] }, 'push.hosts.0: must be a name such as push.example or *.push.example'],
    [{ host: ['push.example'] }, 'push: "host" is unknown: did you mean "hosts"?'],
  ])('the option push explains what is wrong with %j', async (push, message) => {
    await expect(createService({ database: ':memory:', push: push as object })).rejects.toThrow(
      new TypeError(`createService: ${message}`),
    )
  })
})

describeInFullRun('without push messages', () => {
  it('a service without push messages publishes no key, and rejects subscriptions', async () => {
    const silent = await startService({ push: false })
    try {
      const { device } = await silent.enroll(unique())

      expect((await read(await device.get(devicePaths.push))).json).toEqual({})
      expect((await read(await device.push(pushes.subscribe()))).code).toBe('api.error.invalid.push')
      expect((await read(await device.push(null))).json).toEqual({})
    } finally {
      await silent.close()
    }
  })
})
