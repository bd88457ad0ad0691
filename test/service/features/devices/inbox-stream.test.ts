import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import type { Inbox } from '../../../../src/contract/device-answers.ts'
import { readEvents } from '../../../../src/contract/read-events.ts'
import { followInbox } from '../../../../src/service/features/devices/follow-inbox.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { openDatabase } from '../../engine/audit/recorded.ts'
import { asked } from './people.ts'
import { unique } from '../codes/code-holder.ts'
import { keysFor, read, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

type Device = Awaited<ReturnType<typeof asked>>['device']

/** Opens the stream of a device. `next` returns the ids of its pending requests, and undefined once the stream has ended. */
async function follow(device: Pick<Device, 'inbox'>) {
  const response = await device.inbox({ accept: 'text/event-stream' })
  const events = inboxesIn(response.body!)
  onTestFinished(() => void events.return(undefined))
  return {
    type: response.headers.get('content-type'),
    next: async () => (await events.next()).value?.requests.map(({ id }) => id),
    stop: () => events.return(undefined),
  }
}

async function* inboxesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<Inbox, undefined> {
  for await (const events of readEvents(body)) for (const data of events) yield JSON.parse(data) as Inbox
  return undefined
}

describe.each(mainEngines)('the event stream of an inbox, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running

  beforeAll(async () => {
    const database = await newDatabase()
    running = await startService({ database, ...keysFor(database) })
  })
  afterAll(() => running.close())

  inFullRun(
    'the event stream of an inbox sends the pending requests at once, and again whenever they change',
    async () => {
      const { device, id, nonce, ask } = await asked(running)
      const { type, next } = await follow(device)

      const first = await next()
      const second = await ask()
      const bothIds = await next()
      await device.answer(id, { nonce, decision: 'deny' })

      expect(type).toBe('text/event-stream')
      expect([first, bothIds, await next()]).toEqual([[id], [second.id, id], [second.id]])
    },
  )

  inFullRun('the event stream of an inbox sends a change when a request expires', async () => {
    const { device, id, request } = await asked(running)
    const { next } = await follow(device)
    const first = await next()

    await running.clock.advance(request.expiresAt - running.clock.now())

    expect([first, await next()]).toEqual([[id], []])
  })

  it('the event stream of an inbox ends when the device is revoked, which learns the reason at its next call', async () => {
    const { device, user, id } = await asked(running)
    const { next } = await follow(device)
    const first = await next()

    await running.call('DELETE', `/domains/${running.domain.id}/users/${user.id}/token`)

    expect([first, await next()]).toEqual([[id], undefined])
    expect((await read(await device.inbox({ accept: 'text/event-stream' }))).code).toBe('api.error.device.revoked')
  })

  inFullRun('the event stream of an inbox sends only requests of its own device', async () => {
    const other = await running.enroll(`nobody ${unique()}`)
    const { next } = await follow(other.device)
    const first = await next()
    await asked(running)
    const own = await other.ask()

    expect([first, await next()]).toEqual([[], [own.id]])
  })

  it('the event stream of an inbox requires the signature of the device', async () => {
    const { device } = await asked(running)

    const forged = await device.inbox({ accept: 'text/event-stream' }, { path: '/device/history' })

    expect((await read(forged)).status).toBe(401)
  })

  inFullRun('the event stream of an inbox ends when the service closes', async () => {
    const database = await newDatabase()
    const ending = await startService({ database, ...keysFor(database) })
    const { device } = await ending.enroll('ends')
    const { next } = await follow(device)
    const first = await next()

    const closed = ending.close()
    const last = await next()
    await closed

    expect([first, last]).toEqual([[], undefined])
  })
})

describeInFullRun('the event streams of a device', () => {
  it('the event streams of a device end at once if the service has closed since they were requested', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-ends-'))
    const database = join(folder, 'mfa.sqlite')
    const running = await startService({ database, ...keysFor(database) })
    const node = await openDatabase(database, { clock: running.clock, push: false, ...keysFor(database) })
    onTestFinished(async () => {
      await node.close()
      await running.close()
      rmSync(folder, { recursive: true })
    })
    const { signer } = await running.enroll('late')
    node.ctx.waiters.close()
    const events: unknown[] = []

    await new Promise<void>((resolve) => {
      followInbox(node.ctx, signer.id ?? '')({ event: (inbox) => events.push(inbox), end: resolve })
    })

    expect(events).toEqual([{ requests: [] }])
  })

  it('event streams share the limit of a device’s held reads; beyond that it gets plain responses until one ends', async () => {
    const running = await startService({ limits: { heldReadsPerDevice: 2 } })
    onTestFinished(() => running.close())
    const { device } = await running.enroll('many')
    const open = [await follow(device), await follow(device)]

    await open[0]?.next()
    const third = await device.inbox({ accept: 'text/event-stream' })
    await open[0]?.stop()

    expect(third.headers.get('content-type')).toBe('application/json')
    await expect.poll(async () => (await follow(device)).type).toBe('text/event-stream')
  })
})
