import { hostname } from 'node:os'

import { repeat } from '../../../ground/clock.ts'
import { newId } from '../base/random.ts'
import { announceNode, removeNode, removeNodesSeenBefore } from './key-nodes.ts'
import type { Database } from '../database/schema/schema.ts'
import { createSecrets } from './secrets.ts'
import { admit } from './admission.ts'
import { saveKeyFile } from './key-file.ts'
import type { KeyRing, RingKey } from './key-ring.ts'
import { heartbeat } from './live-nodes.ts'
import type { KeySource, ServiceKeys, KeysContext } from './keys-context.ts'

/** How long a stopped node is remembered, seconds. */
const nodeKeptFor = 24 * 60 * 60

/**
 * Adopts the keys if they belong to the database.
 * @param alone No other process can use the database, so there are no nodes to inform.
 * @throws {KeysError} if they do not belong to it.
 */
export async function loadKeys(ctx: KeysContext, source: KeySource, alone: boolean): Promise<ServiceKeys> {
  const { store, clock, random, logger } = ctx
  const node = { id: newId(random), name: `${hostname()}:${process.pid}` }
  let ring = await source.read()
  let writing: RingKey | undefined
  let since: number | undefined

  const announcement = (keys: KeyRing): Database['keyNode'] => ({
    ...node,
    keyIds: keys.keys.map(({ id }) => id).join(' '),
    primaryId: writing?.id ?? null,
    primarySince: since ?? null,
    seenAt: clock.now(),
  })
  const refresh = async (): Promise<void> => {
    const ringNow = await source.read()
    // Each node publishes its keys before it reads those of others, so that of two concurrent nodes one sees the other.
    await announceNode(store.db, announcement(ringNow))
    const admission = await admit(ctx, { ring: ringNow, row: announcement(ringNow) })
    ring = ringNow
    writing = admission.key
    since = admission.since
  }
  const stop = async () => {
    await removeNode(store.db, node.id)
  }

  try {
    await refresh()
    await removeNodesSeenBefore(store.db, clock.now() - nodeKeptFor)
  } catch (error) {
    await stop()
    throw error
  }
  const beats = alone ? undefined : startBeats(ctx, refresh)
  const currentRing = (): KeyRing => ({ primary: writing ?? ring.primary, keys: ring.keys })
  return {
    secrets: createSecrets(currentRing, random),
    nodeId: node.id,
    file: source.file,
    ring: () => ring,
    writing: () => currentRing().primary,
    refresh,
    save: (path) => saveKeyFile(path, ring),
    async close() {
      await beats?.stop()
      // A node that cannot remove itself is forgotten after a while.
      await stop().catch((error: unknown) =>
        logger.warn({ err: error }, 'this node could not be removed from the list of nodes'),
      )
    },
  }
}

function startBeats({ clock, logger, failures }: KeysContext, refresh: () => Promise<void>): { stop(): Promise<void> } {
  let running: Promise<void> | undefined
  let problem: string | undefined
  const cancel = repeat(clock, heartbeat * 1000, () => {
    // A heartbeat that takes longer than the interval is not joined by a second one.
    running ??= beat().finally(() => (running = undefined))
  })

  async function beat(): Promise<void> {
    try {
      await refresh()
      if (problem !== undefined) logger.info({}, 'the key file can be read again')
      problem = undefined
    } catch (error) {
      // A database outage is logged already and says nothing about the keys.
      if (!failures?.covers(error)) report(error)
    }
  }

  /** The loaded keys stay in use. Values sealed with other keys cannot be opened. */
  function report(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    if (message !== problem) logger.error({ err: error }, `the keys need attention: ${message}`)
    problem = message
  }

  return {
    async stop() {
      cancel()
      await running
    },
  }
}
