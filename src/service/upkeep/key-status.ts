import { keyChecks } from '../engine/secrets/key-nodes.ts'
import { countSealed } from '../engine/secrets/sealed-values.ts'
import { otherNodes } from '../engine/secrets/live-nodes.ts'
import type { RotationContext } from './rotation.ts'

export interface KeyStatus {
  readonly keys: readonly {
    readonly id: string
    /** Whether it is among the loaded keys, and whether it is the first. */
    readonly present: boolean
    readonly first: boolean
    /** Whether values may be sealed with it: then no node starts without it. */
    readonly inUse: boolean
    readonly values: number
    /** Expire within 10 minutes. */
    readonly emailCodes: number
  }[]
  /** Running nodes. */
  readonly nodes: readonly {
    readonly name: string
    readonly keys: readonly string[]
    /** The key for writing. */
    readonly writesWith: string | null
    readonly seenAt: number
  }[]
}

/** How many values each key seals, and which nodes have it. */
export async function keyStatus({ store, clock, keys }: RotationContext): Promise<KeyStatus> {
  const { db } = store
  const inUse = new Set((await keyChecks(db)).map(({ keyId }) => keyId))
  const ringIds = keys.ring().keys.map(({ id }) => id)
  const ids = [...new Set([...ringIds, ...inUse])]
  const nodes = await otherNodes(db, clock, keys.nodeId)
  return {
    keys: await Promise.all(
      ids.map(async (id) => ({
        id,
        present: ringIds.includes(id),
        first: id === ringIds[0],
        inUse: inUse.has(id),
        ...(await countSealed(db, id)),
      })),
    ),
    nodes: nodes.map(({ name, keyIds, primaryId, seenAt }) => ({
      name,
      keys: keyIds.split(' '),
      writesWith: primaryId,
      seenAt,
    })),
  }
}
