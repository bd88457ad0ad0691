import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { createService } from '../../../../src/service/index.ts'
import type { Service } from '../../../../src/service/index.ts'
import { listen } from '../../../../src/service/engine/http/listen.ts'
import type { Listening } from '../../../../src/service/engine/http/listen.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { engines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startPostgresProxy } from '../../../support/postgres-proxy.ts'
import { openPostgres } from '../../../support/postgres.ts'
import { member, unique } from '../../features/codes/code-holder.ts'
import { createCall, keysFor, newUser, startService, withoutOverload } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { openDatabase } from '../audit/recorded.ts'

const keyed = (body: unknown, key = 'key') => ({ body, headers: { 'idempotency-key': key } })

describe.each(engines)('creating calls that are repeated on two nodes with one %s database', (engine) => {
  const newDatabase = useEngine(engine)
  let here: Running
  let second: Service
  let door: Listening
  let there: Pick<Running, 'call'>
  let node: OpenedService

  beforeAll(async () => {
    const database = await newDatabase()
    here = await startService({ database }, { bypassEnabled: true })
    const limits = { ...withoutOverload, requestsPerSecond: 1_000_000 }
    second = await createService({ database, clock: here.clock, limits, ...keysFor(database) })
    door = await listen(second.listener, { host: '127.0.0.1', port: 0 })
    there = { call: createCall(`http://127.0.0.1:${door.port}`, here.apiKey) }
    node = await openDatabase(database, { clock: here.clock, ...keysFor(database) })
  })
  afterAll(async () => {
    await node.close()
    await Promise.all([here.close(), door.close(), second.close()])
  })

  const rows = async () => {
    const result = await sql<{ id: string; answer: string }>`select id, answer from remembered_answer`.execute(
      node.ctx.store.db,
    )
    return result.rows
  }

  it('the same creating call on two nodes at once creates once, and both get the same answer', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { path } = await member(here)
      const options = keyed({ usesAllowed: 1, expirationTime: 9 }, unique())
      const create = ({ call }: Pick<Running, 'call'>) => call('POST', `${path}/bypasscodes`, options)

      const answers = await Promise.all([here, there, here, there].map((caller) => create(caller)))

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
      expect((await here.call('GET', `${path}/bypasscodes`)).json).toHaveLength(1)
    }
  })

  it('a call that another node refuses, because the first one has created it, gets the answer of the first', async () => {
    const options = keyed(newUser(unique()), unique())
    const create = ({ call }: Pick<Running, 'call'>) => call('POST', '/users', options)

    const answers = await Promise.all([create(here), create(there)])

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers[0]?.text).toBe(answers[1]?.text)
  })

  it('remembered answers are sealed, and open in their own row only', async () => {
    const { path } = await member(here)
    const options = keyed({ usesAllowed: 1, expirationTime: 9 }, unique())
    const create = () => here.call('POST', `${path}/bypasscodes`, options)
    const before = new Set((await rows()).map(({ id }) => id))
    const { json: first } = await create()
    const own = (await rows()).find(({ id }) => !before.has(id))
    const other = keyed({ usesAllowed: 2, expirationTime: 9 }, unique())
    await here.call('POST', `${path}/bypasscodes`, other)
    const others = (await rows()).find(({ id }) => !before.has(id) && id !== own?.id)

    expect(own?.answer).toMatch(/^k1\./)
    expect(JSON.stringify(await rows())).not.toContain(first.code)
    await sql`update remembered_answer set answer = ${others?.answer} where id = ${own?.id}`.execute(node.ctx.store.db)
    expect((await create()).status).toBe(500)
  })

  it('an API key that has become one of role auth, or of another domain, gets no remembered answer', async () => {
    const { administration } = here.service
    const tenant = await administration.createOrganization(unique())
    const call = createCall(here.origin, await administration.createApiKey(tenant.id))
    const options = keyed(newUser(unique()), unique())
    await call('POST', '/users', options)
    const [apiKey] = await administration.apiKeys(tenant.id)
    await sql`update api_key set role = 'auth' where id = ${apiKey?.id}`.execute(node.ctx.store.db)

    expect((await call('POST', '/users', options)).code).toBe('api.error.forbidden')
  })

  it('no answer is remembered for a domain that was deleted', async () => {
    const { id } = await here.service.administration.createDomain(here.organization.id, { name: unique() })
    const { json: user } = await here.call('POST', '/users', { body: newUser(unique()) })
    await here.call('PUT', `/domains/${id}/users/${user.id}`)
    const options = keyed({ user: { id: user.id }, otp: '000000' }, unique())
    const signIn = () => here.call('POST', `/domains/${id}/sessions`, options)
    const first = await signIn()
    const { db } = node.ctx.store
    for (const table of ['session', 'membership'])
      await sql`delete from ${sql.table(table)} where domain_id = ${id}`.execute(db)
    await sql`delete from domain where id = ${id}`.execute(db)

    const late = await signIn()

    expect([first.status, late.status, late.json.id]).toEqual([200, 409, undefined])
  })

  inFullRun('expired answers are swept', async () => {
    await here.call('POST', '/users', keyed(newUser(unique()), unique()))
    await here.clock.advance(11 * 60)

    // A sweep that is still running when the next one is due takes its place.
    const remaining = async () => {
      await here.clock.advance(5 * 60)
      return (await rows()).length
    }
    await expect.poll(remaining).toBe(0)
  })
})

describe.runIf(engines.includes('PostgreSQL'))('a COMMIT whose answer is lost', () => {
  it('a repeated call finds what a COMMIT created whose answer was lost', async () => {
    const postgres = await openPostgres()
    onTestFinished(() => postgres.stop())
    const proxy = await startPostgresProxy(await postgres.createDatabase())
    onTestFinished(() => proxy.close())
    const running = await startService({ database: proxy.url }, { bypassEnabled: true })
    onTestFinished(() => running.close())
    const { path } = await member(running)
    const options = keyed({ usesAllowed: 1, expirationTime: 9 })
    const create = () => running.call('POST', `${path}/bypasscodes`, options)
    proxy.loseCommit()

    const lost = await create()
    const repeated = await create()
    const { json: codes } = await running.call('GET', `${path}/bypasscodes`)

    expect([lost.status, repeated.status]).toEqual([503, 200])
    expect(codes).toEqual([repeated.json])
  })
})
