import type { Clock } from '../../clock.ts'
import { nodesSeenSince } from '../store/key-nodes.ts'
import type { KeyNodeTable, Queryable } from '../store/schema.ts'

/** How often a node says that it lives and what keys it has, seconds. */
export const heartbeat = 10
/** Until when one that says nothing counts as running, seconds. */
const livesFor = 3 * heartbeat

/** Nodes that run, besides this one. */
export async function otherNodes(db: Queryable, clock: Clock, nodeId: string): Promise<KeyNodeTable[]> {
  return (await nodesSeenSince(db, clock.now() - livesFor)).filter(({ id }) => id !== nodeId)
}

export const knows = (node: KeyNodeTable, keyId: string): boolean => node.keyIds.split(' ').includes(keyId)
