import { rewriteService } from './service-row.ts'
import type { Queryable } from './schema/schema.ts'

/** Whether the database takes changes. */
export interface WriteHealth {
  /** A change could not be stored because of the database, not because of its content. */
  failed(): void
  /** Why changes cannot be stored; undefined while they can. After a failure, one is tried. */
  problem(db: Queryable): Promise<string | undefined>
}

export function createWriteHealth(): WriteHealth {
  let failures = 0
  let trying: Promise<string | undefined> | undefined

  async function tryToWrite(db: Queryable): Promise<string | undefined> {
    const failuresBefore = failures
    try {
      await db.transaction().execute(rewriteService)
      // A failure during the attempt asks for another one.
      if (failures === failuresBefore) failures = 0
      return undefined
    } catch (error) {
      return `changes cannot be stored: ${error instanceof Error ? error.message : String(error)}`
    }
  }

  return {
    failed: () => void (failures += 1),
    async problem(db) {
      if (failures === 0) return undefined
      // One attempt at a time, however many ask.
      return (trying ??= tryToWrite(db).finally(() => (trying = undefined)))
    },
  }
}
