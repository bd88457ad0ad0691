import { repeat } from '../../clock.ts'
import { noteAuditHead } from '../store/audit.ts'
import type { TrailContext } from './audit.ts'
import type { Head } from './verify-chains.ts'

/** Seconds. */
const interval = 15 * 60

/** Periodically logs the heads of the audit trail: somebody who can change the database cannot change logs kept elsewhere. */
export function startHeadLog(ctx: Pick<TrailContext, 'trail' | 'store' | 'clock' | 'logger'>) {
  const told = new Map<string, number>()
  let running = Promise.resolve()
  const cancel = repeat(ctx.clock, interval * 1000, () => {
    running = tell(null).catch((error: unknown) => ctx.logger.warn({ err: error }, 'audit head not stored'))
  })

  async function tell(endedAt: number | null): Promise<void> {
    const moved = ctx.trail.heads().filter(({ writer, sequence }) => told.get(writer) !== sequence)
    for (const head of moved) say(head)
    for (const head of endedAt === null ? moved : ctx.trail.heads()) await noteAuditHead(ctx.store.db, head, endedAt)
  }

  function say({ writer, sequence, hash }: Head): void {
    told.set(writer, sequence)
    ctx.logger.info({ writer, sequence, hash }, 'audit head')
  }

  return {
    /** Logs the final heads of the chains. */
    async close(): Promise<void> {
      cancel()
      await running
      // If the database is unavailable, the log still has them.
      await tell(ctx.clock.now()).catch((error: unknown) => ctx.logger.warn({ err: error }, 'audit head not stored'))
    },
  }
}
