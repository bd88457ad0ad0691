import { inspect } from 'node:util'

import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { serviceId } from '../../../../src/service/engine/database/service-row.ts'
import { openPostgresStore } from '../../../../src/service/engine/database/postgres.ts'
import { StoreUnavailableError } from '../../../../src/service/engine/base/store-errors.ts'
import type { StoreChange } from '../../../../src/service/engine/database/store.ts'
import { inFullRun, isLongRun } from '../../../support/full-run.ts'
import { startPostgresProxy } from '../../../support/postgres-proxy.ts'
import { execute, openPostgres } from '../../../support/postgres.ts'
import type { Postgres } from '../../../support/postgres.ts'
import { describeCodeStore } from './code-store.spec.ts'
import { describeStore } from './store.spec.ts'

let postgres: Postgres
let databases: Map<string, Promise<string>>

beforeAll(async () => {
  postgres = await openPostgres()
})
afterAll(() => postgres.stop())
beforeEach(() => {
  databases = new Map()
})

function databaseOf(name: string): Promise<string> {
  const known = databases.get(name) ?? postgres.createDatabase()
  databases.set(name, known)
  return known
}

const open = async (name: string) => openPostgresStore(await databaseOf(name))

describeStore('PostgreSQL', open)
// `npm test` has requests that conflict over codes instead.
if (isLongRun) describeCodeStore('PostgreSQL', open)

describe('a PostgreSQL store', () => {
  it('a PostgreSQL database in ASCII is refused before anything is created in it, with what to do', async () => {
    const url = await postgres.createEmptyDatabase()
    await execute(url, "CREATE DATABASE in_ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    onTestFinished(() => execute(url, 'DROP DATABASE in_ascii'))

    await expect(openPostgresStore(new URL('in_ascii', url).href)).rejects.toThrow('createdb --encoding=UTF8')
  })

  const throughProxy = async () => startPostgresProxy(await postgres.createDatabase())

  inFullRun(
    'a PostgreSQL store reports that the database is unavailable during an outage, and works afterwards',
    async () => {
      const { url, cut, mend } = await throughProxy()
      const store = await openPostgresStore(url)

      await cut()
      const alone = serviceId(store.db, '0'.repeat(40))
      await expect(alone).rejects.toThrow(StoreUnavailableError)
      await expect(store.db.transaction().execute((db) => serviceId(db, '0'.repeat(40)))).rejects.toThrow(
        StoreUnavailableError,
      )
      await mend()

      expect(await serviceId(store.db, '0'.repeat(40))).toBe('0'.repeat(40))
      await store.close()
      await cut()
    },
  )

  inFullRun('a PostgreSQL store reports when it could not receive notifications for a while', async () => {
    const { url, cut, mend } = await throughProxy()
    const store = await openPostgresStore(url)
    const heard = new Promise((resolve) => void store.watchOtherProcesses(resolve))

    await cut()
    await mend()

    expect(await heard).toBe('gap')
    await store.close()
    await cut()
  })

  inFullRun(
    'a PostgreSQL store splits long notifications into several messages, and sends only a general notice for very long ones',
    async () => {
      const url = await postgres.createDatabase()
      const [here, there] = [await openPostgresStore(url), await openPostgresStore(url)]
      const heard: StoreChange[] = []
      const gap = new Promise<void>((resolve) => {
        there.watchOtherProcesses((change) => {
          heard.push(change)
          if (change === 'gap') resolve()
        })
      })
      const sessions = (count: number) => Array.from({ length: count }, (_, index) => `session:${index}`)

      here.notifyOtherProcesses(['first'])
      await new Promise((resolve) => void setImmediate(resolve))
      here.notifyOtherProcesses(sessions(5_000))
      await gap
      const many = new Promise(
        (resolve) => void there.watchOtherProcesses((change) => change.includes('last') && resolve(change)),
      )
      here.notifyOtherProcesses([...sessions(500), 'last'])
      await many

      expect(heard.slice(0, 2)).toEqual([['first'], 'gap'])
      expect(new Set(heard.slice(2).flat()).size).toBe(501)
      await Promise.all([here.close(), there.close()])
    },
  )

  inFullRun('a PostgreSQL store sends the keys of one change in one message', async () => {
    const url = await postgres.createDatabase()
    const [here, there] = [await openPostgresStore(url), await openPostgresStore(url)]
    const change = new Promise<StoreChange>((resolve) => void there.watchOtherProcesses(resolve))

    here.notifyOtherProcesses(['session:1'])
    here.notifyOtherProcesses(['device:1'])

    expect(await change).toEqual(['session:1', 'device:1'])
    await Promise.all([here.close(), there.close()])
  })

  it('a PostgreSQL store never reveals the password of its address', async () => {
    const errorTexts: unknown[] = []
    for (const url of ['postgres://somebody:Secret1@127.0.0.1:1/x', 'postgres://some body:Secret1@[/x']) {
      errorTexts.push(await openPostgresStore(url).catch((error: unknown) => inspect(error)))
    }

    expect(errorTexts).toEqual([expect.stringContaining('Error'), expect.stringContaining('TypeError')])
    expect(errorTexts.join(' ')).not.toContain('Secret1')
  })
})
