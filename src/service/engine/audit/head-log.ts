import { repeat } from '../../../ground/clock.ts'
import { noteAuditHead } from './statements.ts'
import type { TrailContext } from './audit.ts'
import type { Head } from './verify-chains.ts'

/** Seconds. */
const interval = 15 * 60

/**
 * Periodically logs the heads of the audit trail: an attacker who can change the database cannot change logs on another
 * machine.
 */
export function startHeadLog(ctx: Pick<TrailContext, 'trail' | 'store' | 'clock' | 'logger'>) {
  const logged = new Map<string, number>()
  let running = Promise.resolve()
  const cancel = repeat(ctx.clock, interval * 1000, () => {
    running = report(null).catch((error: unknown) => ctx.logger.warn({ err: error }, 'audit head not stored'))
  })

  async function report(endedAt: number | null): Promise<void> {
    const changed = ctx.trail.heads().filter(({ writer, sequence }) => logged.get(writer) !== sequence)
    for (const head of changed) logHead(head)
    for (const head of endedAt === null ? changed : ctx.trail.heads()) await noteAuditHead(ctx.store.db, head, endedAt)
  }

  function logHead({ writer, sequence, hash }: Head): void {
    logged.set(writer, sequence)
    ctx.logger.info({ writer, sequence, hash }, 'audit head')
  }

  return {
    /** Logs the final heads of the chains. */
    async close(): Promise<void> {
      cancel()
      await running
      // If the database is unavailable, the log still has them.
      await report(ctx.clock.now()).catch((error: unknown) => ctx.logger.warn({ err: error }, 'audit head not stored'))
    },
  }
}
