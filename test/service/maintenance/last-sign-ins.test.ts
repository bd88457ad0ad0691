import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { pruneAudit } from '../../../src/service/audit/retention.ts'
import type { OpenedService } from '../../../src/service/service.ts'
import { lastSignInsOf } from '../../../src/service/store/last-sign-ins.ts'
import { lastSignIns } from '../../../src/service/store/migrations/0014-last-sign-ins.ts'
import { postgresEngine } from '../../../src/service/store/postgres.ts'
import { sqliteEngine } from '../../../src/service/store/sqlite.ts'
import { engines, useEngine } from '../../support/engines.ts'
import { openDatabase } from '../audit/recorded.ts'
import { bypassCodeOf, member } from '../codes/code-holder.ts'
import { keysFor, startService } from '../start-service.ts'
import type { Running } from '../start-service.ts'

describe.each(engines)('an upgrade to the schema that knows last sign-ins, on %s,', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let node: OpenedService

  beforeEach(async () => {
    const database = await newDatabase()
    running = await startService({ database })
    node = await openDatabase(database, { clock: running.clock, ...keysFor(database) })
  })
  afterEach(() => Promise.all([node, running].map((one) => one.close())))

  const database = () => node.ctx.store.db
  const since = async () => (await database().selectFrom('service').selectAll().executeTakeFirstOrThrow()).signInsSince

  /** From the schema before. */
  async function upgrade() {
    const db = database().withoutPlugins()
    await sql`drop table last_sign_in`.execute(db)
    await sql`alter table service drop column sign_ins_since`.execute(db)
    await lastSignIns(engine === 'PostgreSQL' ? postgresEngine : sqliteEngine).up(db)
  }

  async function signedIn() {
    const person = await member(running)
    await person.signIn({ bypasscode: (await bypassCodeOf(running, person.id)).code })
    return person
  }

  it('takes them from the audit trail', async () => {
    const [person, someoneElse] = [await signedIn(), await member(running)]
    await upgrade()

    expect([...(await lastSignInsOf(database(), [person.id, someoneElse.id]))]).toEqual([
      [person.id, running.clock.now()],
    ])
    expect(await since()).toBe(0)
  })

  it('knows them from the first entry of a trail that was shortened', async () => {
    await signedIn()
    running.clock.skip(86_400)
    await pruneAudit(node.ctx, running.clock.now())
    const entry = await database().selectFrom('audit').select('at').orderBy('at').executeTakeFirstOrThrow()
    await upgrade()

    expect(await since()).toBe(entry.at)
    expect(entry.at).toBeGreaterThan(0)
  })
})
