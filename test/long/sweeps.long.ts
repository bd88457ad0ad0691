import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { systemClock } from '../../src/ground/clock.ts'
import { parseOptions } from '../../src/contract/validate.ts'
import { createAdministration } from '../../src/service/administration.ts'
import { pruneAudit } from '../../src/service/engine/audit/retention.ts'
import { createFront } from '../../src/service/engine/front/front.ts'
import type { FindKey } from '../../src/service/engine/http/authenticate.ts'
import { listen } from '../../src/service/engine/http/listen.ts'
import { servedInterface } from '../../src/service/engine/base/interface-words.ts'
import { ServiceOptions } from '../../src/service/options.ts'
import { openService } from '../../src/service/service.ts'
import { apiKeyByHash } from '../../src/service/features/domains/api-key-statements.ts'
import { openPostgresStore } from '../../src/service/engine/database/postgres.ts'
import { sweep } from '../../src/service/upkeep/sweep.ts'
import { createTenant, keysFor, newUser } from '../service/start-service.ts'
import type { Tenant } from '../service/start-service.ts'
import { insertBacklog } from '../support/backlog.ts'
import { engines, useEngine } from '../support/engines.ts'

/** The number of expired rows of each kind. */
const count = Number(process.env.BACKLOG ?? 200_000)
/**
 * Milliseconds by which a sweep may delay a request, compared to one without a sweep: nearly all of them, because the disk
 * alone delays one in thousands for longer.
 */
const maxStall = 20
/** Processor time of a turn of the event loop, milliseconds: of a step of the sweep, and of a full garbage collection, which takes 20. */
const maxTurn = 40

describe.each(engines)(`a sweep of ${count} rows of each kind on %s`, { timeout: 3_600_000 }, (engine) => {
  const newDatabase = useEngine(engine)
  let running: Awaited<ReturnType<typeof start>>

  beforeAll(async () => {
    const database = await newDatabase()
    running = await start(database)
    const { ctx, organization, domain, administration } = running
    const second = await administration.createDomain(organization.id, { name: 'Second' })
    const domainIds = [domain.id, second.id] as const
    // One statement of the backlog takes longer than a service waits for its database.
    const patient = engine === 'PostgreSQL' ? await openPostgresStore(database, { timeout: 600_000 }) : undefined
    const { db } = patient ?? ctx.store
    await insertBacklog(db, { organizationId: organization.id, domainIds, count, now: systemClock.now() })
    if (patient) await sql`analyze`.execute(db)
    await patient?.close()
  }, 600_000)
  afterAll(() => running.close())

  it('a sweep of a large backlog delays no request by more than 20 ms', async () => {
    const { ctx } = running
    const { id } = (await running.call('POST', '/users', { body: newUser('somebody') })).json
    const caller = await startCaller(running, `/users/${id}`)
    const quiet = await caller.during(() => new Promise((resolve) => void setTimeout(resolve, 10_000)))

    const swept = await caller.during(() => sweep(ctx))
    const pruned = await caller.during(() => pruneAudit(ctx, systemClock.now() - 365 * 86_400))
    await caller.stop()

    // oxlint-disable-next-line eslint/no-console -- the figures are what it is run for
    console.info(JSON.stringify({ engine, count, quiet, swept, pruned }))
    expect(swept.requests).toBeGreaterThan(0)
    for (const busy of [swept, pruned]) {
      expect(busy.nearlyAll - quiet.nearlyAll).toBeLessThan(maxStall)
      expect(busy.processor).toBeLessThan(maxTurn)
    }
  })
})

/** A service on its own port. The test starts its sweeps. */
async function start(database: string) {
  const options = parseOptions(ServiceOptions, 'createService', { database, push: false, ...keysFor(database) })
  const service = await openService(options)
  const { vendor, basePath } = servedInterface({}, service.storedWords)
  const findKey: FindKey = (hash) => apiKeyByHash(service.ctx.store.db, hash)
  const { handle: api } = service.rest({ vendor, basePath, findKey })
  const listener = createFront(service.ctx, { vendor, pages: [], handles: [service.routes, api] })
  const listening = await listen(listener, { host: '127.0.0.1', port: 0 })
  const origin = `http://127.0.0.1:${listening.port}`
  const administration = createAdministration(service.ctx)
  const close = async () => {
    const gone = listening.close()
    await service.close()
    await gone
  }
  return { ctx: service.ctx, origin, close, administration, ...(await createTenant({ administration }, origin)) }
}

interface Delays {
  readonly seconds: number
  readonly requests: number
  /** Milliseconds of the longest request, and what 99.9 % of them took at most. */
  readonly longest: number
  readonly nearlyAll: number
  /** The longest turn of the event loop, milliseconds, and the most processor time that one took. */
  readonly loop: number
  readonly processor: number
}

/** Changes and reads a user repeatedly, in a separate thread. */
async function startCaller({ origin, apiKey }: Tenant & { readonly origin: string }, path: string) {
  const thread = new Worker(
    `const { workerData: { url, headers }, parentPort } = require('node:worker_threads')
    let took = [], begun = 0, stopped = false
    parentPort.on('message', (message) => {
      if (message === 'stop') return void (stopped = true)
      // The current request counts, too.
      parentPort.postMessage([...took, performance.now() - begun])
      took = []
    })
    const ask = async (options) => {
      begun = performance.now()
      // A connection may be closed as idle while no request is answered. Retrying counts as waiting.
      while (!(await fetch(url, { headers, ...options }).catch(() => undefined))?.ok);
      took.push(performance.now() - begun)
    }
    const run = async () => {
      while (!stopped) {
        await ask({ method: 'PUT', body: JSON.stringify({ name: 'Name ' + took.length }) })
        await ask({})
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      parentPort.close()
    }
    run()`,
    { eval: true, workerData: { url: `${origin}/api${path}`, headers: { authorization: `Service key="${apiKey}"` } } },
  )
  const figures = async () => {
    const heard = once(thread, 'message')
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
    thread.postMessage('figures')
    return ((await heard) as [number[]])[0].toSorted((a, b) => a - b)
  }
  return {
    async during(work: () => Promise<unknown>): Promise<Delays> {
      await figures()
      const watch = watchTurns()
      const begun = performance.now()
      await work()
      const seconds = (performance.now() - begun) / 1000
      const took = await figures()
      const at = (part: number) => took[Math.min(took.length - 1, Math.floor(took.length * part))] ?? Number.NaN
      return { seconds, requests: took.length, longest: at(1), nearlyAll: at(0.999), ...watch.stop() }
    },
    async stop() {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
      thread.postMessage('stop')
      await once(thread, 'exit')
    },
  }
}

/** The longest turn of the event loop, and the most processor time that one took; milliseconds. */
function watchTurns() {
  const longest = { loop: 0, processor: 0 }
  const processorTime = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let last = { at: performance.now(), processor: processorTime() }
  const look = () => {
    const now = { at: performance.now(), processor: processorTime() }
    longest.loop = Math.max(longest.loop, now.at - last.at)
    longest.processor = Math.max(longest.processor, now.processor - last.processor)
    last = now
  }
  const timer = setInterval(look, 1)
  return {
    stop() {
      clearInterval(timer)
      look()
      return longest
    },
  }
}
