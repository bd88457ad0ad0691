import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'

import Sqlite from 'better-sqlite3'
import type { CompiledQuery, TransactionBuilder } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createConsoleRest } from '../../../../src/service/routes/console-rest.ts'
import type { Rest } from '../../../../src/service/engine/http/rest.ts'
import { consoleAddress } from '../../../../src/service/engine/front/console-address.ts'
import { insertHardwareToken } from '../../../../src/service/features/hardware/statements.ts'
import type { Database, Queryable } from '../../../../src/service/engine/database/schema/schema.ts'
import { connectionOf } from '../../../../src/service/engine/database/transaction-ends.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { postgresPlan, sqlitePlan } from '../../../support/query-plans.ts'
import type { Access } from '../../../support/query-plans.ts'
import { v14 } from '../../start-service.ts'
import { administrator, origin, startConsole } from './console-holder.ts'
import type { Console, ConsoleBrowser } from './console-holder.ts'
import { askedCaller, personWithDevice } from '../callers/phone-caller.ts'

/** Statements that a decision has to execute here: the test sees nothing of those that are not. */
const decisive = `
  lockedUser holdMemberships lockAdministrator signedInAdministrator domainsOfAdministrators userById memberOfSome domainsOf
  deniedCall confirmedCalls keyTypesOfDevices domainById givenConsent useConsent consentById namesake
  administratorById apiKeysOf openInvitationsOf bulkJobById stockTokenById passkeysOfAdministrator countsAfter
`
  .trim()
  .split(/\s+/)

/** A synchronization has one row for each organization, and only while it runs. */
const small = ['synchronization']

const because = 'test'

describe.each(mainEngines)('a change of the console on %s, with few rows in each table,', (engine) => {
  const newDatabase = useEngine(engine)
  const statements = new Map<string, CompiledQuery>()
  let database: string
  let running: Console
  let rest: Rest
  let statuses: number[]

  beforeAll(async () => {
    database = await newDatabase()
    running = await startConsole(database)
    const { ctx } = running
    const store = { ...ctx.store, db: recorded(ctx.store.db, statements) }
    rest = createConsoleRest(
      { ...ctx, store },
      { vendor: { scheme: 'Service', mediaType: 'service' }, address: consoleAddress(origin) },
    )
    statuses = await makeChanges()
  })
  afterAll(() => running.close())

  async function makeChanges() {
    const { domain } = running
    const hal = await administrator(running, { role: 'helpdesk', domains: [domain.id], email: 'hal@example.com' })
    const ada = await administrator(running, { role: 'admin', domains: [domain.id] })
    const owner = await administrator(running, { role: 'owner' })
    const [verified, consented, namesake] = [
      await personWithDevice(running),
      await personWithDevice(running),
      await personWithDevice(running),
    ]
    await running.ctx.store.db
      .updateTable('user')
      .set({ email: 'hal@example.com' })
      .where('id', '=', namesake.id)
      .execute()
    await (await askedCaller(hal, verified)).confirm()
    const consentRequest = await hal.call('POST', `/people/${consented.id}/consents`, {
      body: { operation: 'resetPerson', parameters: {}, because },
    })
    const key = await owner.call('POST', '/api-keys', { body: { role: 'auth', domain: null } })
    const invitation = await owner.call('POST', '/invitations', {
      body: { name: 'New', email: 'new@example.com', role: 'auditor' },
    })
    const job = await owner.call('POST', '/bulk-jobs', { body: { action: 'unlock', because, people: [verified.id] } })
    const { json: passkeys } = await owner.call('GET', '/passkeys')
    const { ctx, organization, clock } = running
    const token = { id: '0'.repeat(40), organizationId: organization.id, alias: '', serialNumber: '1', seed: '' }
    await insertHardwareToken(ctx.store.db, {
      ...token,
      algorithm: 'SHA1',
      digits: 6,
      period: 30,
      createdAt: clock.now(),
    })

    const answers = [
      await change(ada, 'POST', `/consents/${consentRequest.json.id}/give`),
      await change(hal, 'POST', `/people/${consented.id}/reset`, { because }),
      await change(hal, 'POST', `/people/${verified.id}/domains/${domain.id}/token`, { because }),
      await change(hal, 'POST', `/people/${namesake.id}/reset`, { because }),
      await change(ada, 'POST', `/people/${verified.id}/reset`, { because }),
      await change(ada, 'POST', `/stock/${token.id}/delete`, { because }),
      await change(owner, 'DELETE', `/api-keys/${key.json.id}`),
      await change(owner, 'DELETE', `/invitations/${invitation.json.id}`),
      await change(owner, 'DELETE', `/administrators/${hal.id}/sessions`),
      await change(owner, 'POST', `/bulk-jobs/${job.json.id}/start`, { people: 1 }),
      await change(owner, 'DELETE', `/passkeys/${passkeys[0].id}`),
    ]
    return answers.map(({ status }) => status)
  }

  /** Makes a change; its transactions are recorded. */
  async function change({ state }: ConsoleBrowser, method: string, path: string, body?: object) {
    const url = `/admin${path}`
    return rest({
      method,
      url,
      path: url,
      headers: { host: new URL(origin).host, origin, accept: v14, cookie: state.cookie },
      address: '127.0.0.1',
      requestId: undefined,
      reader: Object.assign(new EventEmitter(), {
        destroyed: false,
        closed: false,
        writableFinished: false,
        statusCode: 200,
      }),
      disconnected: () => false,
      read: () => Promise.resolve(body && JSON.stringify(body)),
      stream: () => Readable.from([]),
    })
  }

  it('the console changes of these tests execute every statement that decides about a change', () => {
    // An administrator with the address of the person needs a consent, and the last passkey stays.
    expect(statuses).toEqual([200, 200, 200, 403, 200, 200, 200, 200, 200, 200, 409])
    const names = new Set([...statements.keys()].map((name) => name.replace(/ \w+$/, '')))

    expect(decisive.filter((name) => !names.has(name))).toEqual([])
  })

  it('console changes reach every table through an index, even with few rows', async () => {
    const walked: string[] = []
    const plan = await planner()
    for (const [name, query] of statements) {
      for (const { table, columns, detail } of await plan.of(query))
        if (columns.length === 0 && !small.includes(table)) walked.push(`${name}: ${detail}`)
    }
    await plan.close()

    expect(walked).toEqual([])
  })

  /** PostgreSQL reads small tables from end to end even if there is an index, so it is told not to. */
  async function planner(): Promise<{ of: (query: CompiledQuery) => Promise<Access[]>; close: () => Promise<void> }> {
    if (engine === 'SQLite') {
      const sqlite = new Sqlite(database, { readonly: true })
      return { of: async ({ sql }) => sqlitePlan(sqlite, sql), close: async () => void sqlite.close() }
    }
    const client = new Client(database)
    await client.connect()
    await client.query('set enable_seqscan = off')
    return { of: (query) => postgresPlan(client, query), close: () => client.end() }
  }
})

/** The same database, which records the statements of its transactions. */
function recorded(database: Queryable, statements: Map<string, CompiledQuery>): Queryable {
  const watch = (builder: TransactionBuilder<Database>): TransactionBuilder<Database> => {
    const execute = builder.execute.bind(builder)
    const setIsolationLevel = builder.setIsolationLevel.bind(builder)
    return Object.assign(builder, {
      execute: (change: Parameters<typeof execute>[0]) =>
        execute((tx) => {
          const connection = connectionOf(tx)!
          const executeQuery = connection.executeQuery.bind(connection)
          connection.executeQuery = (query, ...rest) => {
            if (/^(select|update|delete)/.test(query.sql))
              statements.set(Reflect.get(query, 'name') ?? query.sql, query)
            return executeQuery(query, ...rest)
          }
          return change(tx)
        }),
      setIsolationLevel: (level: Parameters<typeof setIsolationLevel>[0]) => watch(setIsolationLevel(level)),
    })
  }
  return new Proxy(database, {
    get(target, key) {
      if (key === 'transaction') return () => watch(target.transaction())
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
