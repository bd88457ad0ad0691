import { withoutCaller } from '../base/waiting-caller.ts'
import type { Queryable } from '../database/schema/schema.ts'
import type { FailureLog } from '../monitoring/failure-log.ts'
import { audit } from './audit.ts'
import type { TrailContext } from './audit.ts'
import { auditHashAt, auditWriterById, lastAuditSequence, noteAuditHead } from './statements.ts'
import type { Head } from './verify-chains.ts'

/** Notices that the database has lost changes that it had committed, as after a failover to a standby that was behind. */
export interface LossWatch {
  /** What was noticed since this process started, in words for an administrator. */
  notice(): string | undefined
  close(): Promise<void>
}

/** The end of a chain that the database no longer has. */
interface Loss {
  readonly writer: string
  /** The last entry that it has; 0 for none. */
  readonly through: number
  /** How many entries of this process are missing. */
  readonly count: number
}

/** After an attempt that failed, milliseconds. */
const retryInterval = 1_000

const lossMessage =
  'The database has lost changes that it had committed. Stop all services and run "second-factor restored", as docs/audit.md explains.'

/**
 * Compares the ends of this process's audit chains with the database whenever it may have lost something. Each change is in
 * the transaction of its entry, so if all entries are there, no such change is missing.
 */
export function startLossWatch(ctx: TrailContext & { readonly failures: Pick<FailureLog, 'covers'> }): LossWatch {
  let hasLost = false
  let isClosed = false
  /** How often the database may have lost something. */
  let reconnects = 0
  let running: Promise<void> | undefined
  let cancelRetry = () => {}

  const stopWatching = ctx.store.watchReconnects(() => {
    reconnects += 1
    ctx.trail.suspend()
    start()
  })

  function start(): void {
    cancelRetry()
    running ??= withoutCaller(compareAll)
      .catch((error: unknown) => {
        if (!ctx.failures.covers(error))
          ctx.logger.warn({ err: error }, 'the audit trail cannot be compared with the database yet; trying again')
      })
      .finally(() => {
        running = undefined
        if (!isClosed && ctx.trail.suspended().length > 0) cancelRetry = ctx.clock.after(retryInterval, start)
      })
  }

  async function compareAll(): Promise<void> {
    const reconnectsBefore = reconnects
    const heads = ctx.trail.suspended()
    // A standby, which may be behind for a moment, refuses the transaction.
    const losses = await ctx.store.db.transaction().execute(async (db) => {
      const found: Loss[] = []
      for (const head of heads) found.push(...(await lossOf(db, head)))
      for (const { writer, ...facts } of found) {
        await audit(db, ctx, {
          event: 'database.loss_noticed',
          organizationId: null,
          facts: { chain: writer, ...facts },
        })
      }
      return found
    })
    for (const { writer } of losses) ctx.trail.resume(writer, false)
    // What was complete a moment ago may be lost since: it is compared again.
    if (reconnects === reconnectsBefore) for (const { writer } of heads) ctx.trail.resume(writer, true)
    for (const head of ctx.trail.retire()) await noteAuditHead(ctx.store.db, head, ctx.clock.now())
    if (losses.length === 0) return
    hasLost = true
    ctx.logger.error({ losses }, lossMessage)
  }

  return {
    notice: () => (hasLost ? lossMessage : undefined),
    async close() {
      isClosed = true
      stopWatching()
      cancelRetry()
      await running
    },
  }
}

async function lossOf(db: Queryable, { writer, sequence, hash }: Head): Promise<readonly Loss[]> {
  if ((await auditHashAt(db, writer, sequence)) === hash) return []
  const chain = await auditWriterById(db, writer)
  // Deleted after the retention time.
  if (chain && chain.startSequence >= sequence) return []
  const through = Math.min((await lastAuditSequence(db, writer)) ?? chain?.startSequence ?? 0, sequence - 1)
  return [{ writer, through, count: sequence - through }]
}
