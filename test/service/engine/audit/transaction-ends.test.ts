import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { TransactionBuilder } from 'kysely'
import { describe, expect, it } from 'vitest'

import { createTrail } from '../../../../src/service/engine/audit/trail.ts'
import { systemRandom } from '../../../../src/service/engine/base/random.ts'
import type { Database, Queryable } from '../../../../src/service/engine/database/schema/schema.ts'
import { watching, onTransactionEnd } from '../../../../src/service/engine/database/transaction-ends.ts'
import { createTestClock } from '../../../../src/testing/clock.ts'

type Builder = TransactionBuilder<Database>

/** Transactions whose COMMIT ends as specified; all statements succeed. */
function transactions(commit: () => void) {
  const builder = {
    async execute(callback: (db: Queryable) => Promise<unknown>) {
      const result = await callback(database())
      commit()
      return result
    },
  } as unknown as Builder
  return watching(builder, (error) => error instanceof Error && error.message === 'undone')
}

/** A database whose statements succeed without a result. */
const database = (): Queryable =>
  new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })

const event = { event: 'user.created', actor: { kind: 'cli', id: 'x' }, organizationId: null, address: null } as const

describe('a chain of the audit trail', () => {
  it.each([
    ['continues after a COMMIT that certainly failed', 'undone', 1, 2],
    ['ends when the outcome of a COMMIT is unknown, and a new one begins', 'connection lost', 2, 1],
  ])('a chain of the audit trail %s', async (_, message, chains, sequence) => {
    const trail = createTrail({ clock: createTestClock(), random: systemRandom })
    const append = (db: Queryable) => trail.append(db, [{ ...event, facts: {} }])
    const fail = () => {
      throw new Error(message)
    }

    await transactions(() => {})(append)
    await expect(transactions(fail)(append)).rejects.toThrow(message)
    await transactions(() => {})(append)

    expect(trail.heads()).toHaveLength(chains)
    expect(trail.heads().at(-1)?.sequence).toBe(sequence)
  })

  it('a chain of unknown outcome is not continued after a comparison has found its entries', async () => {
    const trail = createTrail({ clock: createTestClock(), random: systemRandom })
    const append = (db: Queryable) => trail.append(db, [{ ...event, facts: {} }])
    const fail = () => {
      throw new Error('connection lost')
    }
    await transactions(() => {})(append)
    await expect(transactions(fail)(append)).rejects.toThrow('connection lost')

    trail.suspend()
    for (const { writer } of trail.suspended()) trail.resume(writer, true)
    await transactions(() => {})(append)

    expect(trail.heads().map(({ sequence }) => sequence)).toEqual([1, 1])
  })

  it('chains of the audit trail are retired when there are more than ten that nobody uses, or when they have ended', async () => {
    const trail = createTrail({ clock: createTestClock(), random: systemRandom })
    const append = (db: Queryable) => trail.append(db, [{ ...event, facts: {} }])
    const fail = () => {
      throw new Error('connection lost')
    }
    await Promise.all(Array.from({ length: 12 }, () => transactions(() => {})(append)))
    await expect(transactions(fail)(append)).rejects.toThrow('connection lost')

    const retired = trail.retire()

    expect([retired.length, trail.heads().length]).toEqual([2, 10])
  })

  it('a chain of the audit trail can only be written in a transaction', () => {
    expect(() => onTransactionEnd(database(), () => {})).toThrow('Only what happens in a transaction')
  })
})
