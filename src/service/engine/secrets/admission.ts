import type { Database, Queryable } from '../database/schema/schema.ts'
import { notAfter } from '../base/present.ts'
import { announceNode, insertKeyCheck, keyChecks } from './key-nodes.ts'
import { countSealed, removeSentCodesOfNoKey } from './sealed-values.ts'
import { createSecrets } from './secrets.ts'
import type { Secrets } from './secrets.ts'
import type { KeysContext } from './keys-context.ts'
import type { KeyRing, RingKey } from './key-ring.ts'
import { KeysError } from './key-ring.ts'
import { knows, otherNodes } from './live-nodes.ts'
import { resealAll } from './reseal.ts'
import { isCurrent } from './sealing.ts'

const checkWords = 'second-factor'

interface Candidate {
  readonly ring: KeyRing
  /** The row that the node has published. */
  readonly row: Database['keyNode']
}

interface AdmittedKeys {
  readonly key: RingKey
  /** Unix time, seconds. */
  readonly since: number
}

/**
 * Decides which key a node writes with: the first one if every running node knows it, otherwise one that is already in use.
 *
 * @throws {KeysError} if it lacks a key that is in use, because it could not read what others wrote.
 */
export function admit(ctx: KeysContext, candidate: Candidate): Promise<AdmittedKeys> {
  const { ring, row } = candidate
  return ctx.store.db.transaction().execute(async (db) => {
    const checks = await requireKeysInUse(db, ring, ctx)
    const key = choose(candidate, checks, await otherNodes(db, ctx.clock, row.id))
    const now = ctx.clock.now()
    const since = notAfter((key.id === row.primaryId ? row.primarySince : undefined) ?? now, now)
    await announceNode(db, { ...row, primaryId: key.id, primarySince: since })
    if (checks.some(({ keyId }) => keyId === key.id)) return { key, since }
    const secrets = createSecrets(() => ({ primary: key, keys: ring.keys }), ctx.random)
    if (checks.length === 0) await sealPlain(db, secrets, ring)
    await insertKeyCheck(db, { keyId: key.id, sealed: secrets.seal(checkWords, checkOf(key.id)) })
    return { key, since }
  })
}

/**
 * Compares keys with those that something in the database may be sealed with.
 * @returns the latter.
 * @throws {KeysError} if one of them is missing, or another key has its id.
 */
export async function requireKeysInUse(
  db: Queryable,
  ring: KeyRing,
  ctx: Pick<KeysContext, 'random'>,
): Promise<readonly Database['keyCheck'][]> {
  const checks = await keyChecks(db)
  for (const check of checks) requireOpens(ctx, ring, check)
  return checks
}

const checkOf = (id: string) => ({ kind: 'key check', id }) as const

function requireOpens(
  { random }: Pick<KeysContext, 'random'>,
  ring: KeyRing,
  { keyId, sealed }: Database['keyCheck'],
): void {
  if (!ring.keys.some(({ id }) => id === keyId)) {
    throw new KeysError(`its secrets are sealed with the key "${keyId}", which is missing. Add it to the keys.`)
  }
  try {
    createSecrets(() => ring, random).open(sealed, checkOf(keyId))
  } catch (cause) {
    throw new KeysError(
      `its secrets are sealed with a different key that is also called "${keyId}". Use the original key.`,
      {
        cause,
      },
    )
  }
}

function choose(
  { ring, row }: Candidate,
  checks: readonly Database['keyCheck'][],
  otherNodeRows: readonly Database['keyNode'][],
): RingKey {
  const inUse = (key: RingKey) => checks.some(({ keyId }) => keyId === key.id)
  if (inUse(ring.primary) || otherNodeRows.every((node) => knows(node, ring.primary.id))) return ring.primary
  const fallback = ring.keys.find((key) => key.id === row.primaryId && inUse(key)) ?? ring.keys.find(inUse)
  if (fallback) return fallback
  throw new KeysError(
    `another node does not have the key "${ring.primary.id}". Configure all nodes with the same keys.`,
  )
}

/** The first keys of a database that has none yet: values stored unencrypted become unreadable without them. */
async function sealPlain(db: Queryable, secrets: Secrets, ring: KeyRing): Promise<void> {
  const { values, emailCodes } = await countSealed(db)
  if (values + emailCodes === 0) return
  const open: Secrets['open'] = (sealed, place) => (sealed.includes('.') ? secrets.open(sealed, place) : sealed)
  const options = { secrets, open, isCurrent: (sealed: string) => isCurrent(ring, sealed) }
  await resealAll(db, options, (step) => step(db))
  await removeSentCodesOfNoKey(db)
}
