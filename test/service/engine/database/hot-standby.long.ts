import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createService } from '../../../../src/service/index.ts'
import { execute, startPostgres } from '../../../support/postgres.ts'
import type { OwnPostgres } from '../../../support/postgres.ts'
import { member } from '../../features/codes/code-holder.ts'
import { keysFor, newUser, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { restoreSchema14 } from './earlier-schema.ts'

// In order: the server is killed and comes back as a hot standby, with the same data at the same address, and is then promoted.
describe('a service whose PostgreSQL is replaced by a hot standby', () => {
  let postgres: OwnPostgres
  let database: string
  let earlierDatabase: string
  let running: Running
  let alice: Awaited<ReturnType<typeof member>>
  let signIn: object

  const ready = async () => (await fetch(`${running.origin}/readyz`)).status

  beforeAll(async () => {
    postgres = await startPostgres()
    database = await postgres.createEmptyDatabase()
    running = await startService({ database })
    alice = await member(running)
    const { json: code } = await running.call('POST', `${alice.path}/bypasscodes`, {
      body: { usesAllowed: 1, expirationTime: 60 },
    })
    signIn = { user: { id: alice.id }, bypasscode: code.code }
    earlierDatabase = await postgres.createEmptyDatabase()
    await restoreSchema14('PostgreSQL', earlierDatabase)
    await postgres.kill()
    await postgres.restartAsStandby()
  })
  afterAll(async () => {
    await running.close()
    await postgres.stop()
  })

  it('a service on a hot standby refuses every change with 503, also many at once, and says when to retry', async () => {
    const { call, domain } = running
    const changes = () => [
      call('POST', '/users', { body: newUser('refused') }),
      call('PUT', alice.path, { body: { name: 'Other' } }),
      call('DELETE', alice.path),
      call('POST', `${alice.path}/bypasscodes`, { body: { usesAllowed: 1, expirationTime: 60 } }),
      call('POST', `/domains/${domain.id}/sessions`, { body: signIn }),
      call('PUT', `/domains/${domain.id}/users/${alice.id}`),
    ]
    // The first ones may only notice that their connections were cut.
    await Promise.all(changes())

    const answers = await Promise.all(Array.from({ length: 5 }, changes).flat())

    const outcomes = answers.map(({ status, code, headers }) => [status, code, headers.get('retry-after')].join(' '))
    expect(new Set(outcomes)).toEqual(new Set(['503 api.error.unavailable 1']))
  })

  it('a service on a hot standby serves reads, and is not ready', async () => {
    const { status, json } = await running.call('GET', alice.path)

    expect([status, json.username]).toEqual([200, alice.username])
    expect(await ready()).toBe(503)
  })

  it('a service does not start on a hot standby, and says that the database is read-only', async () => {
    await expect(createService({ database, ...keysFor(database) })).rejects.toThrow('read-only')
  })

  it('a hot standby with an earlier schema is called read-only, and not of another build', async () => {
    const error = await createService({ database: earlierDatabase, ...keysFor(database) }).catch(
      (cause: unknown) => cause,
    )

    expect(String((error as Error).cause ?? error)).toContain('read-only')
  })

  it('a service whose hot standby is promoted accepts changes without a restart, and a code that was refused before, once', async () => {
    await execute(postgres.url, 'SELECT pg_promote()')
    await expect.poll(ready).toBe(200)

    const { call, domain } = running
    const created = await call('POST', '/users', { body: newUser('accepted') })
    const sessions = await Promise.all(
      [1, 2, 3].map(() => call('POST', `/domains/${domain.id}/sessions`, { body: signIn })),
    )

    expect(created.status).toBe(200)
    const states = sessions.map(({ json }) => String(json.state)).toSorted()
    expect(states).toEqual(['approved', 'denied', 'denied'])
  })
})
