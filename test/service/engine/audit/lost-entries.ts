import { audit } from '../../../../src/service/engine/audit/audit.ts'
import { startLossWatch } from '../../../../src/service/engine/audit/loss-watch.ts'
import { createTrail } from '../../../../src/service/engine/audit/trail.ts'
import type { ServiceContext } from '../../../../src/service/engine/context/service-context.ts'

/**
 * A process of its own that writes two entries; then the database loses the last ones, and the process connects again.
 *
 * @param lost How many entries.
 */
export async function loseEntries(ctx: ServiceContext, lost: number) {
  let reconnect = () => {}
  const store = {
    ...ctx.store,
    watchReconnects: (listener: () => void) => {
      reconnect = listener
      return () => {}
    },
  }
  const trail = createTrail(ctx)
  const own = { ...ctx, store, trail }
  const watch = startLossWatch(own)
  const write = () =>
    store.db
      .transaction()
      .execute((db) => audit(db, own, { event: 'organization.created', organizationId: null, facts: {} }))
  await write()
  await write()
  const [{ writer, sequence } = { writer: '', sequence: 0 }] = trail.heads()
  await store.db
    .deleteFrom('audit')
    .where('writer', '=', writer)
    .where('sequence', '>', sequence - lost)
    .execute()
  reconnect()
  await watch.close()
  return { watch, trail, writer, write }
}
