import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { systemClock } from '../../src/ground/clock.ts'
import { startService } from '../service/start-service.ts'
import type { Running } from '../service/start-service.ts'
import { engines, useEngine } from '../support/engines.ts'

/** The maximum seconds for one body, and the maximum milliseconds that it may block other callers. */
const longest = 20
const longestPause = 100

const users = Array.from({ length: 100_000 }, (_, index) => ({
  username: `person${index}@example.com`,
  name: `Person Number ${index}`,
  email: `person${index}@example.com`,
}))

describe.each(engines)('a synchronization of 100,000 users on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running

  beforeAll(async () => {
    running = await startService({ database: await newDatabase(), clock: systemClock })
  })
  afterAll(() => running.close())

  /** The caller runs in a separate thread, so that its work is not measured as the service's. */
  async function put(body: object[]): Promise<{ status: number; seconds: number; pause: number }> {
    const caller = new Worker(
      `const { workerData: { url, headers, body }, parentPort } = require('node:worker_threads')
      const text = JSON.stringify(body)
      parentPort.postMessage('ready')
      fetch(url, { method: 'PUT', headers, body: text }).then(({ status }) => parentPort.postMessage(status))`,
      {
        eval: true,
        workerData: {
          url: `${running.origin}/api/domains/${running.domain.id}/users`,
          headers: { authorization: `Service key="${running.apiKey}"` },
          body,
        },
      },
    )
    await once(caller, 'message')
    const watch = watchPauses()
    const begun = performance.now()
    const [status] = (await once(caller, 'message')) as [number]
    return { status, seconds: (performance.now() - begun) / 1000, pause: watch.stop() }
  }

  it.each([
    ['all new', users],
    ['the same again', users],
    ['half of them', users.slice(50_000)],
    ['all of them again', users],
    ['each with another name and address', users.map((user) => ({ ...user, name: 'N', email: `new.${user.email}` }))],
    ['none', []],
  ])('a synchronization of 100,000 users is quick and blocks no other caller: %s', async (_, body) => {
    const { status, seconds, pause } = await put(body)

    expect(status).toBe(200)
    expect(seconds).toBeLessThan(longest)
    expect(pause).toBeLessThan(longestPause)
  })
})

/** The longest time between two turns of the event loop, milliseconds. */
function watchPauses() {
  let longestTurn = 0
  let last = performance.now()
  const timer = setInterval(() => {
    longestTurn = Math.max(longestTurn, performance.now() - last)
    last = performance.now()
  }, 1)
  return {
    stop() {
      clearInterval(timer)
      return Math.max(longestTurn, performance.now() - last)
    },
  }
}
