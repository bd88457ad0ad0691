import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { keysFor, newUser, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { startPostgresProxy } from '../../../support/postgres-proxy.ts'
import type { PostgresProxy } from '../../../support/postgres-proxy.ts'
import { execute, startPostgres } from '../../../support/postgres.ts'
import type { OwnPostgres } from '../../../support/postgres.ts'
import type { PostgresServer } from '../../../support/postgres-server.ts'

// In order: the primary is killed, a standby that was behind takes over, and the former primary comes back beside it.
describe('a service whose PostgreSQL fails over to a standby that was behind', () => {
  let former: OwnPostgres
  let standby: PostgresServer
  let other: OwnPostgres
  let proxy: PostgresProxy
  let running: Running
  const lines: string[] = []

  const readiness = async () => {
    const response = await fetch(`${running.origin}/readyz`)
    const { detail } = (await response.json()) as { detail?: string }
    return { status: response.status, detail }
  }
  const create = async (name: string) => (await running.call('POST', '/users', { body: newUser(name) })).status
  const exists = async (name: string) =>
    (await running.call('GET', `/users?username=${newUser(name).username}`)).status === 200
  const reconnect = async () => {
    await proxy.cut()
    await proxy.mend()
  }

  beforeAll(async () => {
    former = await startPostgres()
    const database = await former.createEmptyDatabase()
    const name = new URL(database).pathname
    proxy = await startPostgresProxy(database)
    const logger = {
      info() {},
      warn() {},
      error: (fields: object, message: string) => void lines.push(message, JSON.stringify(fields)),
    }
    running = await startService({
      database: proxy.url,
      logger,
      metrics: { token: 'sixteen-characters' },
      ...keysFor(proxy.url),
    })
    await create('kept')
    await former.kill()
    standby = await former.startCopy()
    await former.restart()
    for (let status = 0; status !== 200;) status = await create('lost')
    other = await startPostgres()
    // Servers of tests are copies, so that only the number of the database tells them apart.
    await other.createEmptyDatabase()
    await execute(other.url, `CREATE DATABASE ${name.slice(1)}`)
  })
  afterAll(async () => {
    await running.close()
    await proxy.close()
    await Promise.all([former.stop(), standby.stop(), other.stop()])
  })

  it('a service whose address leads to a promoted standby closes its connections to the former primary', async () => {
    await execute(standby.url, 'SELECT pg_promote()')
    // Those that are open still lead to the former primary, which still runs.
    proxy.leadTo(standby.url)
    const before = await exists('lost')
    const others = proxy.connections()

    await running.call('GET', '/users')
    await Promise.all(Array.from({ length: others + 2 }, (_, index) => create(`taking${index}`)))

    const reads = await Promise.all(Array.from({ length: 2 * others }, () => exists('lost')))

    expect(before).toBe(true)
    expect(new Set(reads)).toEqual(new Set([false]))
    expect(await exists('kept')).toBe(true)
  })

  it('a service notices that the promoted standby lacks changes, and says in its log, trail and readiness what to do', async () => {
    await expect.poll(async () => (await readiness()).detail).toContain('second-factor restored')

    expect((await readiness()).status).toBe(200)
    expect(lines.join('\n')).toContain('has lost changes')
    const metrics = await fetch(`${running.origin}/metrics`, {
      headers: { authorization: 'Bearer sixteen-characters' },
    })
    expect(await metrics.text()).toMatch(/^second_factor_database_loss 1$/m)
  })

  it('a service never goes back to the former primary, and says which server to stop', async () => {
    proxy.leadTo(former.url)
    await reconnect()

    await expect.poll(async () => (await readiness()).status).toBe(503)
    const refused = await create('refused')
    proxy.leadTo(standby.url)
    await reconnect()

    expect(refused).toBe(503)
    expect(lines.join('\n')).toMatch(/timeline is 1, and 2 was seen/)
    await expect.poll(async () => (await readiness()).status).toBe(200)
    expect(await exists('refused')).toBe(false)
  })

  it('a service whose address leads to another database is not ready, and works when the address is right again', async () => {
    proxy.leadTo(other.url)
    await reconnect()

    await expect.poll(async () => (await readiness()).status).toBe(503)
    const refused = await create('elsewhere')
    proxy.leadTo(standby.url)
    await reconnect()

    expect(refused).toBe(503)
    expect(lines.join('\n')).toContain('another database')
    await expect.poll(async () => (await readiness()).status).toBe(200)
    expect(await create('afterwards')).toBe(200)
  })
})
