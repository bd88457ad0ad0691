import { rewriteService } from './service-row.ts'
import type { Queryable } from './schema/schema.ts'
import { withoutCaller } from '../base/waiting-caller.ts'

/** Whether the database takes changes. */
export interface WriteHealth {
  /** A change could not be stored because of the database, not because of its content. */
  failed(): void
  /** The database is told to commit a change. @returns a function to call when it has answered. */
  begin(): () => void
  /** Why changes cannot be stored; undefined while they can. After a failure, one is tried. */
  problem(db: Queryable): Promise<string | undefined>
}

/** @param usualCommit How long a COMMIT may take before changes count as held up, milliseconds. */
export function createWriteHealth(usualCommit = Infinity): WriteHealth {
  let failures = 0
  /** When each COMMIT that is under way was sent, in this order. */
  const begun = new Set<{ readonly at: number }>()
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
    begin() {
      const commit = { at: performance.now() }
      begun.add(commit)
      return () => void begun.delete(commit)
    },
    async problem(db) {
      const [oldest] = begun
      if (oldest && performance.now() - oldest.at > usualCommit)
        return 'changes are held up: the database does not answer COMMIT'
      if (failures === 0) return undefined
      // One attempt at a time, however many ask.
      return (trying ??= withoutCaller(() => tryToWrite(db)).finally(() => (trying = undefined)))
    },
  }
}
