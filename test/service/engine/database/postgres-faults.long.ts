import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { serviceId } from '../../../../src/service/engine/database/service-row.ts'
import { openPostgresStore } from '../../../../src/service/engine/database/postgres.ts'
import type { PostgresOpenOptions } from '../../../../src/service/engine/database/postgres.ts'
import { StoreUnavailableError } from '../../../../src/service/engine/base/store-errors.ts'
import type { StoreChange } from '../../../../src/service/engine/database/store.ts'
import { startPostgresProxy } from '../../../support/postgres-proxy.ts'
import type { PostgresProxy } from '../../../support/postgres-proxy.ts'
import { openPostgres } from '../../../support/postgres.ts'
import type { Postgres } from '../../../support/postgres.ts'

/** Milliseconds. */
const timeout = 500
const beat = 200
const id = '0'.repeat(40)

let postgres: Postgres
let direct: string
let proxy: PostgresProxy

beforeAll(async () => {
  postgres = await openPostgres()
})
afterAll(() => postgres.stop())
beforeEach(async () => {
  direct = await postgres.createDatabase()
  proxy = await startPostgresProxy(direct)
  onTestFinished(() => proxy.close())
})

async function open(url: string, more: PostgresOpenOptions = {}) {
  const store = await openPostgresStore(url, { timeout, beat, ...more })
  onTestFinished(async () => {
    proxy.resume()
    await store.close()
  })
  return store
}

/** How long it took in milliseconds, and how it ended. */
async function outcome(work: Promise<unknown>) {
  const begun = performance.now()
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { error, took: performance.now() - begun }
}

describe('a PostgreSQL store whose database does not answer', () => {
  it('a PostgreSQL store times out every unit of work while its database does not answer, and works right afterwards', async () => {
    const store = await open(proxy.url)
    await serviceId(store.db, id)

    proxy.stall()
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => outcome(serviceId(store.db, id))))
    proxy.resume()
    const after = await outcome(serviceId(store.db, id))

    for (const { error } of outcomes) expect(error).toBeInstanceOf(StoreUnavailableError)
    expect(Math.max(...outcomes.map(({ took }) => took))).toBeLessThan(2 * timeout)
    expect(after.error).toBeUndefined()
    expect(after.took).toBeLessThan(timeout)
  })

  it('a PostgreSQL store times out a transaction whose statements are answered slowly', async () => {
    const store = await open(proxy.url)
    await serviceId(store.db, id)
    proxy.delay(timeout / 8)

    const { error, took } = await outcome(
      store.db.transaction().execute(async (db) => {
        for (let statement = 0; statement < 20; statement += 1) await serviceId(db, id)
      }),
    )
    proxy.delay(0)

    expect(error).toBeInstanceOf(StoreUnavailableError)
    expect(took).toBeLessThan(2 * timeout)
  })

  it('PostgreSQL ends the open transaction of a store that is cut off, so its locks block no other client', async () => {
    const [cutOff, other] = [await open(proxy.url), await open(direct, { timeout: 10_000 })]
    await serviceId(other.db, id)
    const lock = (db: typeof other.db) => db.updateTable('service').set({ id }).execute()

    const locked = Promise.withResolvers<void>()
    const holding = outcome(
      cutOff.db.transaction().execute(async (db) => {
        await lock(db)
        proxy.stall()
        locked.resolve()
        await serviceId(db, id)
      }),
    )
    await locked.promise
    const { error } = await outcome(lock(other.db))

    expect(error).toBeUndefined()
    expect((await holding).error).toBeInstanceOf(StoreUnavailableError)
  })

  it('a PostgreSQL store opens through a pooler that refuses to set limits', async () => {
    proxy.refuseParameter('statement_timeout')

    const store = await open(proxy.url)

    expect(await serviceId(store.db, id)).toBe(id)
  })
})

describe('a PostgreSQL store that listens for changes by other processes', () => {
  const isDeaf = (store: Awaited<ReturnType<typeof open>>, change: StoreChange) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = store.watchOtherProcesses((heardChange) => heardChange === change && resolve())
    return promise.finally(end)
  }

  it('a PostgreSQL store whose database stops answering listens on another connection, and reports that it may have missed something', async () => {
    const store = await open(proxy.url)
    const gap = isDeaf(store, 'gap')

    proxy.stall()
    // The connections are stalled, not closed, so only the store's own checks can detect it.
    while (proxy.connections() > 0) await new Promise((resolve) => void setImmediate(resolve))
    proxy.resume()

    await expect(gap).resolves.toBeUndefined()
  })

  it('a PostgreSQL store logs once that notifications do not arrive, polls meanwhile, and logs when they arrive again', async () => {
    proxy.dropNotifications(true)
    const hearingReports: boolean[] = []
    const heard = Promise.withResolvers<void>()
    const store = await open(proxy.url, {
      onHearing(hears) {
        hearingReports.push(hears)
        if (hears) heard.resolve()
      },
    })

    await isDeaf(store, 'something')
    await isDeaf(store, 'something')
    const gap = isDeaf(store, 'gap')
    proxy.dropNotifications(false)
    await gap
    await heard.promise

    expect(hearingReports).toEqual([false, true])
  })

  it('a PostgreSQL store listens at a separate address if the main one is a pooler', async () => {
    proxy.dropNotifications(true)
    const [here, there] = [await open(direct), await open(proxy.url, { listenDatabase: direct })]
    const change = new Promise<StoreChange>((resolve) => void there.watchOtherProcesses(resolve))

    here.notifyOtherProcesses(['session:1'])

    expect(await change).toEqual(['session:1'])
  })

  it('a PostgreSQL store tells other processes as soon as possible that they may have missed changes', async () => {
    const [here, there] = [await open(proxy.url, { listenDatabase: direct }), await open(direct)]
    await proxy.cut()
    const gap = isDeaf(there, 'gap')

    here.notifyOtherProcesses(['session:1'])
    // Fails when the notification has failed, too.
    await expect(sql`select 1`.execute(here.db)).rejects.toThrow(StoreUnavailableError)
    await proxy.mend()

    await expect(gap).resolves.toBeUndefined()
  })

  it('a PostgreSQL store never reveals the password of its listening address', async () => {
    const errorText = await openPostgresStore(direct, { listenDatabase: 'postgres://some body:Secret1@[/x' }).catch(
      String,
    )

    expect(errorText).toContain('listenDatabase')
    expect(errorText).not.toContain('Secret1')
  })
})
