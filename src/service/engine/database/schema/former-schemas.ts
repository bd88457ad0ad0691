import { createHash } from 'node:crypto'

import { otherBuild } from './applied-migrations.ts'
import type { Engine, EngineName } from './engine.ts'
import { migrations } from './migrations.ts'
import { ownObjects } from './own-objects.ts'
import type { OwnObjects } from './own-objects.ts'
import type { Queryable } from './schema.ts'

/*
 * Databases from before migration 0015 have no hashes. Their names alone say little, because migrations were edited until then. So
 * their tables, columns and indexes are compared with what the migrations make, before the missing hashes are filled in.
 */

/** The hash of what the first migrations make: the first one alone, the first two, and so on. */
export const formerSchemas: readonly Readonly<Record<EngineName, string>>[] = [
  { sqlite: '201ca32163f34572c5cc0caf4c64de38', postgres: '2a0e8458a0609719ec68fd87fbb5c4bf' },
  { sqlite: '9094e83306a0af9ecf18c22ee78d9678', postgres: '6efd1c40cc0f6689be826f1de0728293' },
  { sqlite: '0b2921c730eedb4cd0b12cefa3bb0063', postgres: '6baa7b2e874254e37cb9d4f025934937' },
  { sqlite: 'd00f27ee09d020888b723e645369f190', postgres: '999232a8a153f1aa16e3404ea6bd9cb9' },
  { sqlite: 'e41e7ff8d9b64c8f1fce04af9f522d43', postgres: '448e423ab9c0c6ea8b1ac0849065dfa1' },
  { sqlite: 'cf436f2370bacb0f256a284cdca610a9', postgres: 'f83c9d503e53d0da20083db51e8d626d' },
  { sqlite: '7cdf865497471e40ae78fc8bb7509b0a', postgres: 'a5baea5be51f6a8f9814307a4a2e4b82' },
  { sqlite: '338571ba486c67a6ee0006aca8960b33', postgres: '69b9853a3682a27887bf50d0d19a54e4' },
  { sqlite: 'e2ccc41f9b439370e98ddc3c910d7a3a', postgres: '69b9853a3682a27887bf50d0d19a54e4' },
  { sqlite: '5cc489f5e2a3c3072bfe0aa6822bdb6f', postgres: '58afe032f4a62365608d420ce7493690' },
  { sqlite: '8e2f7ee7b497a3ceffed10a8e3f6b0f4', postgres: 'f8486e750208f73d7355a1d0c9b1e6f2' },
  { sqlite: '160185e81c5d1d5793bb165ca668597b', postgres: '5da8eeaa85e4bdf7e422a611449e4ed2' },
  { sqlite: '8a43aa4265aa5c362ac0e517ade1fb1f', postgres: '0dacb8e38e03703e44f2951dbf7a3e46' },
  { sqlite: 'e48961a179c7bf1be211c06b1f0240a1', postgres: 'ae60c2a57f6c9c67974d3c5e0e3a8cf4' },
]

/**
 * @param count How many migrations the database has.
 * @throws {OtherBuildError} when its schema is not what they make.
 */
export async function requireFormerSchema(db: Queryable, engine: Engine, count: number): Promise<void> {
  const former = formerSchemas[count - 1]
  if (former && (await schemaHash(db, engine, count)) !== former[engine.name]) {
    throw otherBuild('its tables are not those that its migrations make')
  }
}

/** The hash of all that the first migrations have made, and of nothing that an administrator has added. */
export async function schemaHash(db: Queryable, engine: Engine, count: number): Promise<string> {
  const own = ownObjects(Object.values(migrations(engine)).slice(0, count).flat())
  const lines = await describe(db, engine, own)
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 32)
}

async function describe(db: Queryable, engine: Engine, own: OwnObjects): Promise<string[]> {
  const owners = [...own.owners]
  const columns = await engine.columns(db, owners)
  const indexes = await engine.indexes(db, owners)
  return [
    ...columns.map(({ owner, name, type }) => `${owner} ${name} ${type}`),
    ...indexes
      .filter(({ name, inherent }) => inherent || own.indexes.has(name))
      .map(({ owner, name, type, position, member }) => `${owner} ${name} ${type} ${position} ${member}`),
  ].toSorted()
}
