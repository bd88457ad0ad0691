import { setImmediate as nextTurn } from 'node:timers/promises'

import { afterEach, describe, expect, it } from 'vitest'

import { acceptClock } from '../../../../src/service/engine/audit/retention.ts'
import { parseOptions } from '../../../../src/contract/validate.ts'
import { heartbeat } from '../../../../src/service/engine/secrets/live-nodes.ts'
import { noObserver } from '../../../../src/service/engine/monitoring/observer.ts'
import { ServiceOptions } from '../../../../src/service/options.ts'
import { openService } from '../../../../src/service/service.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { audit } from '../../../../src/service/engine/audit/audit.ts'
import type { Clock } from '../../../../src/ground/clock.ts'
import { createTestClock } from '../../../../src/testing/clock.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { keysFor } from '../../start-service.ts'

const day = 86_400
const user = '0'.repeat(40)

describe.each(mainEngines)('the audit trail on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let database: string
  let service: OpenedService | undefined
  /** The error of the machine's clock, in seconds. */
  let wrongBy = 0
  let clock = createTestClock()
  /** Called when a sweep has ended. */
  let sweepEnded = () => {}
  const nextSweep = () => new Promise<void>((resolve) => void (sweepEnded = resolve))

  afterEach(async () => {
    await service?.close()
    service = undefined
    wrongBy = 0
  })

  /** A service whose entries are kept for 365 days. */
  async function start(): Promise<OpenedService> {
    const machine: Clock = {
      now: () => clock.now() + wrongBy,
      // Of the heartbeats between two sweeps the trail knows nothing, and they would take most of the time.
      after: (wait, callback) => (wait === heartbeat * 1000 ? () => {} : clock.after(wait, callback)),
    }
    service = await openService(
      parseOptions(ServiceOptions, 'createService', { database, clock: machine, push: false, ...keysFor(database) }),
      { ...noObserver, swept: () => sweepEnded() },
    )
    return service
  }

  /** The clock is right, as an administrator has said. */
  async function startAfter400Days(): Promise<void> {
    await service!.close()
    clock = createTestClock(clock.now() + 400 * day)
    await start()
    await acceptClock(service!.ctx)
    await service!.close()
    await start()
  }

  async function write(count: number): Promise<void> {
    const { ctx } = service!
    for (let written = 0; written < count; written += 1) {
      await ctx.store.db
        .transaction()
        .execute((db) => audit(db, ctx, { event: 'user.created', organizationId: null, facts: { user } }))
    }
  }

  const count = async (): Promise<number> => {
    const rows = await service!.ctx.store.db
      .selectFrom('audit')
      .select('sequence')
      .where('event', '=', 'user.created')
      .execute()
    return rows.length
  }

  /** Advances the time, with a sweep after each step. Waits for each sweep, so that two never overlap. */
  async function run(seconds: number, step = 300): Promise<void> {
    for (let passed = 0; passed < seconds; passed += step) {
      const ended = nextSweep()
      await clock.advance(step)
      await ended
      await nextTurn()
    }
  }

  inFullRun('the audit trail follows the clock at once when an administrator accepts it', async () => {
    database = await newDatabase()
    clock = createTestClock()
    await start()
    await write(20)
    await startAfter400Days()

    await run(300)

    await expect.poll(count).toBe(18)
  })

  inFullRun(
    'the audit trail drops expired entries although a sweep can count neither sign-ins nor enrolled members',
    async () => {
      database = await newDatabase()
      clock = createTestClock()
      await start()
      await write(20)
      await startAfter400Days()
      const { db } = service!.ctx.store
      await db.schema.dropTable('enrollment_count').execute()
      await db.schema.dropTable('sign_in_day').execute()

      await run(300)

      await expect.poll(count).toBe(18)
    },
  )

  it('the audit trail keeps all entries if the clock is 405 days fast, even across restarts', async () => {
    database = await newDatabase()
    clock = createTestClock()
    await start()
    await write(16)
    await run(2 * 3_600)

    wrongBy = 405 * day
    await run(1_800)
    await service!.close()
    await start()
    await run(1_800)
    const keptCount = await count()
    wrongBy = 0
    await run(2 * 3_600)

    expect([keptCount, await count()]).toEqual([16, 16])
  })

  it('the audit trail keeps all entries if the clock jumps by 405 days while the service is stopped', async () => {
    database = await newDatabase()
    clock = createTestClock(Math.floor(Date.now() / 1000 / day) * day + 15 * 3_600)
    await start()
    await write(20)
    await run(2 * 3_600)
    await service!.close()

    wrongBy = 405 * day
    await start()
    await run(1_800)

    expect(await count()).toBe(20)
  })

  it('the audit trail drops a tenth of its expired entries a day', { timeout: 120_000 }, async () => {
    database = await newDatabase()
    // A few hours before the end of a day.
    clock = createTestClock(Math.floor(Date.now() / 1000 / day) * day + 15 * 3_600)
    await start()
    await write(20)
    await service!.close()
    // A year later.
    clock = createTestClock(clock.now() + 400 * day)
    await start()

    await run(1_800)
    const before = await count()
    await run(3_600)
    await expect.poll(count).toBe(18)
    await run(2 * 3_600)
    const later = await count()
    // On a busy machine, sweeps are late.
    await run(day, 1_800)

    expect([before, later]).toEqual([20, 18])
    await expect.poll(count).toBe(16)
  })
})
