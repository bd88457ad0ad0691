import { audit } from '../engine/audit/audit.ts'
import type { AuditContext } from '../engine/audit/audit.ts'
import { pause } from '../../ground/clock.ts'
import type { Clock } from '../../ground/clock.ts'
import { inSteps } from '../engine/base/in-steps.ts'
import { sweepStep } from '../engine/database/due.ts'
import { removeOtherKeyChecks } from '../engine/secrets/key-nodes.ts'
import { countSealed } from '../engine/secrets/sealed-values.ts'
import type { Store } from '../engine/database/store.ts'
import type { Features } from '../engine/steps/feature.ts'
import type { ServiceKeys } from '../engine/secrets/keys-context.ts'
import { knows, otherNodes } from '../engine/secrets/live-nodes.ts'
import { resealAll } from '../engine/secrets/reseal.ts'
import { isCurrent } from '../engine/secrets/sealing.ts'

/** Longer than a sealed value can be on its way into the database, seconds. */
const underWay = 15
/** How often to check whether the rotation can continue, milliseconds. */
const interval = 1_000

export interface RotationContext extends AuditContext {
  readonly store: Store
  readonly clock: Clock
  readonly keys: ServiceKeys
  readonly features: Features
}

/** The condition that a rotation is waiting for. */
export type Waiting =
  /** Running nodes without the new key. */
  | { readonly for: 'nodes'; readonly nodes: readonly string[] }
  /** Nodes that may still write with another key. */
  | { readonly for: 'writers'; readonly nodes: readonly string[] }
  /** Sent codes, which cannot be resealed: they expire within 10 minutes. */
  | { readonly for: 'email codes'; readonly count: number }

export interface RotationOptions {
  readonly progress?: (checkedCount: number, total: number) => void
  readonly waiting?: (reason: Waiting) => void
}

export interface Rotated {
  readonly key: string
  readonly resealed: number
  /** Keys that no longer seal any value: they can be removed from the ring. */
  readonly retired: readonly string[]
}

/**
 * Reseals everything with the first key while requests are served. Ends when nothing is, or will be, sealed with another key.
 * It can be interrupted at any moment and started again.
 */
export async function rotateKeys(ctx: RotationContext, options: RotationOptions = {}): Promise<Rotated> {
  const key = await waitForNodes(ctx, options)
  for (let resealed = 0; ;) {
    resealed += await pass(ctx, options)
    const retired = await finish(ctx, key, resealed)
    if (!('for' in retired)) return { key, resealed, retired: retired.keys }
    options.waiting?.(retired)
    await pause(ctx.clock, interval)
  }
}

/** A node without the key could not read what is sealed with it. */
async function waitForNodes(ctx: RotationContext, { waiting }: RotationOptions): Promise<string> {
  const { keys } = ctx
  for (;;) {
    await keys.refresh()
    const { id } = keys.ring().primary
    if (keys.writing().id === id) return id
    const nodes = await otherNodes(ctx.store.db, ctx.clock, keys.nodeId)
    waiting?.({ for: 'nodes', nodes: nodes.filter((node) => !knows(node, id)).map(({ name }) => name) })
    await pause(ctx.clock, interval)
  }
}

async function pass({ store, clock, keys, features }: RotationContext, { progress }: RotationOptions): Promise<number> {
  const { db } = store
  // Expired values need not be resealed, and cannot block the rotation.
  for (const { removeSome } of features.removals.filter(({ beforeRotation }) => beforeRotation)) {
    await inSteps({ size: sweepStep }, () => removeSome(db, clock.now()))
  }
  const { values } = await countSealed(db)
  const ring = { ...keys.ring(), primary: keys.writing() }
  return resealAll(
    db,
    {
      secrets: keys.secrets,
      isCurrent: (sealed) => isCurrent(ring, sealed),
      progress: (checkedCount) => progress?.(Math.min(checkedCount, values), values),
    },
    (step) => db.transaction().execute((transaction) => step(transaction)),
  )
}

/** Ends the rotation if it is complete: from then on other keys can be removed. */
function finish(
  ctx: RotationContext,
  key: string,
  count: number,
): Promise<Waiting | { readonly keys: readonly string[] }> {
  return ctx.store.db.transaction().execute(async (db) => {
    const settledBefore = ctx.clock.now() - underWay
    const writers = (await otherNodes(db, ctx.clock, ctx.keys.nodeId)).filter(
      ({ primaryId, primarySince }) => primaryId !== key || (primarySince ?? 0) > settledBefore,
    )
    if (writers.length > 0) return { for: 'writers', nodes: writers.map(({ name }) => name) }
    const [all, current] = [await countSealed(db), await countSealed(db, key)]
    if (all.emailCodes > current.emailCodes) {
      return { for: 'email codes', count: all.emailCodes - current.emailCodes }
    }
    // New values were written meanwhile: check once more.
    if (all.values > current.values) return { for: 'writers', nodes: [] }
    await audit(db, ctx, { event: 'keys.rotated', organizationId: null, facts: { key, count } })
    return { keys: await removeOtherKeyChecks(db, key) }
  })
}
