import type { Clock } from '../../../ground/clock.ts'
import { nodesSeenSince, correctNodes } from './key-nodes.ts'
import type { Database, Queryable } from '../database/schema/schema.ts'
import type { Store } from '../database/store.ts'
import type { ServiceKeys } from './keys-context.ts'

/** How often a node publishes its heartbeat and its keys, seconds. */
export const heartbeat = 10
/** How long a node without a heartbeat counts as running, seconds. */
export const nodeTimeout = 3 * heartbeat

/** Running nodes other than this one. */
export async function otherNodes(db: Queryable, clock: Clock, nodeId: string): Promise<Database['keyNode'][]> {
  const now = clock.now()
  await correctNodes(db, now)
  return (await nodesSeenSince(db, now - nodeTimeout)).filter(({ id }) => id !== nodeId)
}

/** The names of those nodes, for display. */
export async function liveNodes(ctx: { store: Store; clock: Clock; keys: ServiceKeys }): Promise<string[]> {
  return (await otherNodes(ctx.store.db, ctx.clock, ctx.keys.nodeId)).map(({ name }) => name)
}

export const knows = (node: Database['keyNode'], keyId: string): boolean => node.keyIds.split(' ').includes(keyId)
