import { UnsealError } from '../sealing/sealing.ts'
import type { Queryable } from './schema.ts'
import { allRows, change } from './statement.ts'
import type { List, Slot } from './statement.ts'
import type { Secrets } from '../sealing/secrets.ts'

/** A seed as it is sealed for its user; null while the hardware token has none. */
export interface OwnedSeed {
  readonly id: string
  readonly userId: string | null
}

/**
 * Seals the seeds of hardware tokens for another owner. In the transaction that gives or takes the tokens.
 *
 * A seed that does not open for the owner that the row names was damaged or moved there. It stays unchanged and opens for no
 * user, so that the token can still be taken away.
 */
export async function resealSeeds(
  db: Queryable,
  secrets: Secrets,
  owned: readonly OwnedSeed[],
  userId: string | null,
): Promise<void> {
  const owners = new Map(owned.map((one) => [one.id, one.userId]))
  if (owners.size === 0) return
  const rows = await seedsOf(db, [...owners.keys()])
  for (const { id, seed } of rows) {
    const opened = openOrNothing(secrets, seed, { id, userId: owners.get(id) ?? null })
    if (opened === undefined) continue
    const sealed = secrets.seal(opened, { kind: 'seed', id, userId })
    await setSeed(db, id, sealed)
  }
}

const seedsOf = allRows('seedsOf', (db, ids: List<string>) =>
  db.selectFrom('codeGenerator').select(['id', 'seed']).where('id', 'in', ids),
)

const setSeed = change('setSeed', (db, id: Slot<string>, seed: Slot<string>) =>
  db.updateTable('codeGenerator').set({ seed }).where('id', '=', id),
)

function openOrNothing(secrets: Secrets, seed: string, owned: OwnedSeed): string | undefined {
  try {
    return secrets.open(seed, { kind: 'seed', ...owned })
  } catch (error) {
    if (error instanceof UnsealError) return undefined
    throw error
  }
}
