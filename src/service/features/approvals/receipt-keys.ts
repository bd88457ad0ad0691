import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

import { PublicKey } from '../../../contract/device.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { Secrets } from '../../engine/secrets/secrets.ts'
import { insertReceiptKey, receiptKeyOf, receiptKeys, retireReceiptKeys } from './receipt-key-statements.ts'
import type { ReceiptKeyRow } from './receipt-key-statements.ts'

type Context = Pick<ServiceContext, 'store' | 'secrets' | 'keys' | 'clock'>

/** The key that signs receipts now. */
export interface ReceiptKey {
  /** The thumbprint of the public key (RFC 7638). */
  readonly id: string
  readonly privateKey: KeyObject
}

/** The key in use, by the keys of a service. */
const inUse = new WeakMap<object, { readonly ringKey: string; readonly key: ReceiptKey }>()

/**
 * The key that signs receipts while the service writes with the present key of the ring: with a new one, a new pair is made. The private
 * key is sealed in the database, so a thief needs the ring as well. Call it before the transaction that accepts an answer.
 */
export async function receiptKeyFor(ctx: Context): Promise<ReceiptKey> {
  const ringKey = ctx.keys.writing().id
  const cached = inUse.get(ctx.keys)
  if (cached?.ringKey === ringKey) return cached.key
  const { db } = ctx.store
  const row = (await receiptKeyOf(db, ringKey)) ?? (await makeKey(ctx, ringKey))
  const key = { id: row.id, privateKey: openKey(ctx.secrets, row) }
  inUse.set(ctx.keys, { ringKey, key })
  return key
}

async function makeKey({ store, secrets, clock }: Context, ringKey: string): Promise<ReceiptKeyRow> {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKey = PublicKey.parse(createPublicKey(pair.privateKey).export({ format: 'jwk' }))
  const id = thumbprintOf(publicKey)
  const text = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url')
  const now = clock.now()
  const row = {
    id,
    ringKey,
    publicKey: JSON.stringify(publicKey),
    privateKey: secrets.seal(text, recordOf(id)),
    createdAt: now,
  }
  await store.db.transaction().execute(async (db) => {
    await insertReceiptKey(db, row)
    await retireReceiptKeys(db, ringKey)
  })
  return row
}

function openKey(secrets: Secrets, { id, privateKey }: Pick<ReceiptKeyRow, 'id' | 'privateKey'>): KeyObject {
  const der = Buffer.from(secrets.open(privateKey ?? '', recordOf(id)), 'base64url')
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
}

const recordOf = (id: string) => ({ kind: 'receipt key', id, userId: null }) as const

/** RFC 7638 section 3: SHA-256 over the required members in the order of their names. */
function thumbprintOf({ crv, kty, x, y }: PublicKey): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}

/** The public keys of all receipts (RFC 7517 section 5), the present one first. */
export async function publishedKeys(ctx: Context) {
  await receiptKeyFor(ctx)
  const rows = await receiptKeys(ctx.store.db)
  return {
    keys: rows.map(({ id, publicKey }) => {
      const jwk = PublicKey.parse(JSON.parse(publicKey))
      return { ...jwk, kid: id, alg: 'ES256', use: 'sig' } as const
    }),
  }
}
