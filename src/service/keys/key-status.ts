import { keyChecks } from '../store/key-nodes.ts'
import { countSealed } from '../store/sealed-values.ts'
import { otherNodes } from './live-nodes.ts'
import type { RotationContext } from './rotation.ts'

export interface KeyStatus {
  readonly keys: readonly {
    readonly id: string
    /** Whether it is among the keys at hand, and the first one of them. */
    readonly present: boolean
    readonly first: boolean
    /** Whether something may be sealed with it: then no node starts without it. */
    readonly inUse: boolean
    readonly values: number
    /** Lapse within 10 minutes. */
    readonly emailCodes: number
  }[]
  /** Those that run. */
  readonly nodes: readonly {
    readonly name: string
    readonly keys: readonly string[]
    /** The key it writes with. */
    readonly writesWith: string | null
    readonly seenAt: number
  }[]
}

/** What is sealed with which key, and who has it. */
export async function keyStatus({ store, clock, keys }: RotationContext): Promise<KeyStatus> {
  const { db } = store
  const inUse = new Set((await keyChecks(db)).map(({ keyId }) => keyId))
  const present = keys.ring().keys.map(({ id }) => id)
  const ids = [...new Set([...present, ...inUse])]
  const nodes = await otherNodes(db, clock, keys.nodeId)
  return {
    keys: await Promise.all(
      ids.map(async (id) => ({
        id,
        present: present.includes(id),
        first: id === present[0],
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
