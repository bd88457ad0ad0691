import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import {
  CamelCasePlugin,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { CompiledQuery, Dialect } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { filesBelow } from '../../scripts/fingerprint.ts'
import { root } from '../../scripts/run.ts'
import type { OpenedService } from '../../src/service/service.ts'
import type { Database } from '../../src/service/engine/database/schema/schema.ts'
import { executedDuring } from '../support/recorded-sequence.ts'
import type { Executed } from '../support/recorded-sequence.ts'

/*
 * What a change of the house must leave as it is: statements, documents, metrics, events, and the order in which changes that
 * concern many features happen. Where a change is meant, `npx vitest run test/house/records.test.ts -u` writes the new records,
 * and their difference shows what it means.
 */

// Other tests declare statements of their own.
vi.resetModules()
for (const file of await filesBelow(join(root, 'src/service'))) {
  if (file.endsWith('.ts')) await import(file)
}
const { auditEvents } = await import('../../src/service/engine/audit/events.ts')
const { defaultVendor } = await import('../../src/contract/media-type.ts')
const { createConsoleOpenApi, createOpenApi } = await import('../../src/service/engine/openapi/document.ts')
const { createMetrics } = await import('../../src/service/engine/front/metrics.ts')
const { compiledStatement, statementNames } = await import('../../src/service/engine/database/statement.ts')
const { resetUser } = await import('../../src/service/features/people/reset.ts')
const { settleRestored } = await import('../../src/service/upkeep/restored.ts')
const { rotateKeys } = await import('../../src/service/upkeep/rotation.ts')
const { sweep } = await import('../../src/service/upkeep/sweep.ts')
const { hardwareToken } = await import('../service/features/codes/code-holder.ts')
const { passkeyPage } = await import('../service/features/passkeys/passkey-holder.ts')
const { passByCode } = await import('../service/features/browsers/known-browser.ts')
const { openDatabase } = await import('../service/engine/audit/recorded.ts')
const { startService } = await import('../service/start-service.ts')
const { createTestClock } = await import('../../src/testing/clock.ts')
const { random128 } = await import('../support/device-signer.ts')

const hash = (text: string | undefined) =>
  createHash('sha256')
    .update(text ?? '')
    .digest('hex')
    .slice(0, 12)

const record = (name: string) => `../records/${name}`

const databaseOf = (dialect: Dialect) => new Kysely<Database>({ dialect, plugins: [new CamelCasePlugin()] })

const databases = {
  sqlite: databaseOf({
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }),
  postgres: databaseOf({
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }),
}

const compiled = (engine: keyof typeof databases): ReadonlyMap<string, CompiledQuery> =>
  new Map(statementNames().map((name) => [name, compiledStatement(databases[engine], name)]))

describe('what stays as it is', () => {
  it('every statement matches its record, on both engines', async () => {
    const [onSqlite, onPostgres] = [compiled('sqlite'), compiled('postgres')]

    const lines = statementNames()
      .toSorted()
      .map((name) => `${name} ${hash(onSqlite.get(name)?.sql)} ${hash(onPostgres.get(name)?.sql)}`)

    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(record('statements.txt'))
  })

  it.each([
    ['openapi', createOpenApi],
    ['openapi-console', createConsoleOpenApi],
  ])('each operation and each schema of the document %s matches its record', async (name, create) => {
    const { paths, components, ...rest } = create({ vendor: defaultVendor, address: 'https://mfa.example/api' })

    const parts: object = {
      ...paths,
      ...components.schemas,
      'everything else': { ...rest, ...components, schemas: {} },
    }
    const lines = Object.entries(parts).flatMap(([part, content]) =>
      part.startsWith('/')
        ? Object.entries(Object(content)).map(([method, each]) => `${method} ${part} ${hash(JSON.stringify(each))}`)
        : `${part} ${hash(JSON.stringify(content))}`,
    )
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(record(`${name}.txt`))
  })

  it('every metric matches its record with its labels, before anything has happened', async () => {
    const lines: string[] = []
    const metrics = await createMetrics()

    await metrics
      .page()
      .serve({} as never, { setHeader() {}, writeHead() {}, end: (text: string) => lines.push(text) } as never)

    const ours = lines
      .join('')
      .split('\n')
      .filter((line) => line.includes('second_factor_'))
    await expect(`${ours.join('\n')}\n`).toMatchFileSnapshot(record('metrics.txt'))
  })

  it('every event of the audit trail matches its record with its facts', async () => {
    const lines = Object.entries(auditEvents).map(([event, facts]) => `${event}: ${facts.join(' ')}`)

    await expect(`${lines.toSorted().join('\n')}\n`).toMatchFileSnapshot(record('events.txt'))
  })
})

describe('the order of what happens', () => {
  let folder: string
  let running: Awaited<ReturnType<typeof startService>>
  let node: OpenedService

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'second-factor-records-'))
    const database = join(folder, 'mfa.sqlite')
    running = await startService({ database }, { bypassEnabled: true, emailOtpEnabled: true })
    node = await openDatabase(database, { clock: running.clock })
  })
  afterAll(async () => {
    await node.close()
    await running.close()
    rmSync(folder, { recursive: true })
  })

  /** A person who has something of every kind. */
  async function everything() {
    const { call, domain, clock } = running
    const person = await running.enroll(`person-${random128()}`)
    const { id } = person.user
    const path = `/domains/${domain.id}/users/${id}`
    const token = await hardwareToken(running)
    await call('PUT', `/users/${id}/hardware/${token.id}`)
    await passByCode(running, { user: { id }, otp: token.code() }, { rememberDays: 3 })
    await clock.advance(30)
    const pass = async () => {
      const { json } = await call('POST', `/users/${id}/bypasscodes`, { body: { usesAllowed: 1, expirationTime: 60 } })
      const body = { user: { id }, purpose: 'change_devices', redeem: {}, bypasscode: json.code }
      return (await call('POST', person.sessions, { body: { ...body, challenge: random128() } })).json.id as string
    }
    await passkeyPage(running, { id }).addPasskey({ pass: await pass() })
    await call('POST', `/users/${id}/bypasscodes`, { body: { usesAllowed: 2, expirationTime: 60 } })
    await call('PUT', `${path}/token/replacement`, { body: {} })
    await person.ask()
    return { ...person, path: `/users/${id}`, memberPath: path }
  }

  /** A statement is called by its name; a value of a statement is shown where it is the name of an event. */
  function told(executed: readonly Executed[]): string {
    // Of two with the same text, the first one in the alphabet.
    const texts = compiled('sqlite')
    const inReverse = statementNames().toSorted().toReversed()
    const names = new Map(inReverse.map((name) => [texts.get(name)?.sql, name]))
    const lines = executed.map(({ sql, parameters }) => {
      const events = parameters.filter((value) => typeof value === 'string' && value in auditEvents)
      return [names.get(sql) ?? sql.replaceAll(/\s+/g, ' '), ...events].join(' · ')
    })
    // Read for a device once nobody waits for the answer: at any moment.
    return `${lines.filter((line) => line !== 'pushOfPending').join('\n')}\n`
  }

  const acts: Record<string, () => Promise<() => Promise<unknown>>> = {
    reset: async () => {
      const { user } = await everything()
      return () => resetUser(node.ctx, { organizationId: running.organization.id, userId: user.id })
    },
    'removal of a user': async () => {
      const { path } = await everything()
      return () => running.call('DELETE', path)
    },
    'removal of a member': async () => {
      const { memberPath } = await everything()
      return () => running.call('DELETE', memberPath)
    },
    'removal of a device': async () => {
      const { device } = await everything()
      return () => device.remove()
    },
    report: async () => {
      const { device, pending } = await everything()
      const [request] = await pending()
      return () => device.answer(request!.id, { nonce: request!.nonce, decision: 'report' })
    },
    sweep: async () => {
      await everything()
      running.clock.skip(91)
      return () => sweep(node.ctx)
    },
    restore: async () => {
      const { user } = await everything()
      const ids = { user: user.id, domain: running.domain.id }
      const at = running.clock.now()
      return () =>
        settleRestored(node.ctx, [
          { at, event: 'user.reset', ids },
          { at, event: 'user.deleted', ids },
        ])
    },
    'rotation of keys': async () => {
      await everything()
      const clock = createTestClock(running.clock.now())
      return () => rotateKeys({ ...node.ctx, clock })
    },
  }

  it.each(Object.keys(acts))('a %s executes its statements in the recorded order', async (name) => {
    const act = await acts[name]!()

    const executed = await executedDuring(act)

    await expect(told(executed)).toMatchFileSnapshot(record(`order of a ${name}.txt`.replaceAll(' ', '-')))
  })
})
