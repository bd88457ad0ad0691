import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'

import { formerSchemas, schemaHash } from '../../../../src/service/engine/database/schema/former-schemas.ts'
import { knownMigrations } from '../../../../src/service/engine/database/schema/known-migrations.ts'
import { hashOf } from '../../../../src/service/engine/database/schema/migrate-to-latest.ts'
import { migrations } from '../../../../src/service/engine/database/schema/migrations.ts'
import { ownObjects } from '../../../../src/service/engine/database/schema/own-objects.ts'
import type { Queryable } from '../../../../src/service/engine/database/schema/schema.ts'
import { engines, mainEngines, useEngine } from '../../../support/engines.ts'
import { describeInFullRun } from '../../../support/full-run.ts'
import { migrateUntil, openRaw, schemaEngine } from './earlier-schema.ts'

/*
 * Databases contain these hashes: a build with another hash opens none of them. So a line may be added here, and none may be changed.
 * What a migration says is changed by a new migration.
 */
const released = [
  ['0001-schema', '33dc6e92eb80c06a2078ea4f1ce92f00', '7f8e00cd9c3f71933df6abc9627256d4'],
  ['0002-consent', 'f7db5a20c297ddc39648c0fe25aaaccf', 'f7db5a20c297ddc39648c0fe25aaaccf'],
  ['0003-consent-subject', '50dd8ff409443e26af9ffd4096201b2d', '50dd8ff409443e26af9ffd4096201b2d'],
  ['0004-search-rows', '3f2a1d9be181a10a2864a207c6d2cf2d', 'd9b60ed30790d9c9aa0ae019f4a7b761'],
  ['0005-caller-strength', '33bb328618e8c1c9c452edcf70bccaba', '33bb328618e8c1c9c452edcf70bccaba'],
  ['0006-kept-browser-of-session', '76f7ca2a74d1ddf43b37561e075969eb', '76f7ca2a74d1ddf43b37561e075969eb'],
  ['0007-administrator-namesake', '1ecd5bebb15cf8813313b9f46c553a67', '1ecd5bebb15cf8813313b9f46c553a67'],
  ['0008-api-key-of-organization', 'eee96a6b05068dadbad23a736df589ca', 'eee96a6b05068dadbad23a736df589ca'],
  ['0009-folded-search', 'a7bd8d4a16df569bed45cffc92c3d6f0', 'b76033039e7b6dd5b36050b5ef4376a1'],
  ['0010-person-order', '4eca43a7f4dbe443b17cac37f5062c6e', '863b6cc55f0ac9ded1850120c0907ded'],
  ['0011-recovery-codes-of-user', 'f248ceae292698aa664cf5cd9bef56fd', 'f248ceae292698aa664cf5cd9bef56fd'],
  ['0012-browser-of-session', 'fecd5255275873455d7fb2aca45f6074', 'fecd5255275873455d7fb2aca45f6074'],
  ['0013-mail-report', 'a3684d42829b3eed80f2f6e83bcb238b', 'a3684d42829b3eed80f2f6e83bcb238b'],
  ['0014-time-zone-of-user', 'c4d18f0d866d2f6aae8a1a8389e62f19', 'c4d18f0d866d2f6aae8a1a8389e62f19'],
  ['0015-migration-hash', '0feee793a3424b8e230551f1c1f52e08', '0feee793a3424b8e230551f1c1f52e08'],
  ['0016-member-order', '670665251f776774a7248ed780c5b7c3', '950cba306997664ca47473c78639ff01'],
  ['0017-remembered-answer', '9691a75889dfbb21050740f6e6838ac3', '9691a75889dfbb21050740f6e6838ac3'],
  ['0018-code-algorithm', 'bc23db530702dc4255a2534d703a7abc', 'bc23db530702dc4255a2534d703a7abc'],
  ['0019-imported-factors', '37e85018d45f96107889f3a7d5e956f3', '37e85018d45f96107889f3a7d5e956f3'],
  ['0020-code-counter', '521bf9ac68fce89fb916089113eb0c20', '521bf9ac68fce89fb916089113eb0c20'],
  ['0021-import-after-reset', '425c5e1fec342a6341ba349e59db663a', '425c5e1fec342a6341ba349e59db663a'],
  ['0022-approval', '813003947a260c8c39f98a28f7a84630', '4a48f4310400901acabf5d50581c6b83'],
  ['0023-oidc', 'be2fd9d1ab687a15bfc471854fa0b81e', 'be2fd9d1ab687a15bfc471854fa0b81e'],
  ['0024-oidc-pkce', '36f46065d506b3b2473a6646e6217321', '36f46065d506b3b2473a6646e6217321'],
  ['0025-oidc-ping', '7fd6f224e0f781a4d8cc60b3b00b2cd2', '7fd6f224e0f781a4d8cc60b3b00b2cd2'],
  ['0026-person-facts', 'b5c2891ea7dfc30d50d3a3b3bacd0213', '20372527013f690cc0868396a5493173'],
]

describe('the hashes of migrations', () => {
  it('a migration keeps the hash with which databases were made', () => {
    const known = knownMigrations.map(({ name, sqlite, postgres }) => [name, sqlite, postgres])

    expect(known.slice(0, released.length)).toEqual(released)
    expect(known.length, 'Add the new migration to this list.').toBe(released.length)
  })

  it.each(engines)('the hash of each migration is that of the statements which %s executes', (engine) => {
    const { name } = schemaEngine(engine)
    const actual = Object.entries(migrations(schemaEngine(engine))).map(([key, texts]) => [key, hashOf(texts)])

    expect(actual).toEqual(knownMigrations.map((known) => [known.name, known[name]]))
  })
})

describeInFullRun.each(mainEngines)('the schemas of builds without hashes on %s', (engine) => {
  const newDatabase = useEngine(engine, { empty: true })
  const own = ownObjects(Object.values(migrations(schemaEngine(engine))).flat())

  it('each former schema is known by the tables, columns and indexes that its migrations make', async () => {
    const db = openRaw(engine, await newDatabase())
    const hashes = await hashesOfSteps(db)
    await db.destroy()

    expect(hashes).toEqual(formerSchemas.map((former) => former[schemaEngine(engine).name]))
  })

  it('the comparison of schemas knows every table and every index that a new database has', async () => {
    const db = openRaw(engine, await newDatabase())
    await migrateUntil(db, engine, '0014-time-zone-of-user')
    const tables = await tablesOf(db)
    const indexes = await schemaEngine(engine).indexes(db, [...own.owners])
    await db.destroy()

    expect(tables.filter((name) => !own.owners.has(name))).toEqual([])
    const unknown = indexes.filter(({ name, inherent }) => !inherent && !own.indexes.has(name)).map(({ name }) => name)
    // The index is missing where PostgreSQL lacks an extension.
    expect(new Set(unknown)).toEqual(new Set(engine === 'SQLite' ? [] : ['search_row_text']))
  })

  async function hashesOfSteps(db: Queryable): Promise<string[]> {
    const hashes: string[] = []
    for (const [index, [name, statements]] of Object.entries(migrations(schemaEngine(engine))).entries()) {
      if (index === formerSchemas.length) break
      if (index === 0) await migrateUntil(db, engine, name)
      else for (const statement of statements) await sql.raw(statement).execute(db)
      hashes.push(await schemaHash(db, schemaEngine(engine), index + 1))
    }
    return hashes
  }

  async function tablesOf(db: Queryable): Promise<string[]> {
    const tables = await db.introspection.getTables()
    // SQLite keeps the index of the search in tables of its own. Kysely leaves out the table of migrations.
    return tables.map(({ name }) => name).filter((name) => !name.startsWith('user_search_'))
  }
})
