import { importJWK } from 'jose'
import type { CryptoKey } from 'jose'

import type { PublicKey } from '../../contract/device.ts'

/** Devices with a held inbox call every 25 s, and importing a key takes as long as verifying a signature. */
const maxCached = 20_000

/**
 * Keyed by the public key, so that entries never go stale. Only keys of devices are cached: otherwise anybody could fill it.
 */
const cache = new Map<string, CryptoKey>()

/** @throws if the point is not on the curve. */
export async function importedKey({ kty, crv, x, y }: PublicKey): Promise<CryptoKey> {
  const name = `${x}.${y}`
  const cached = cache.get(name)
  if (cached) return cached
  const imported = await importJWK({ kty, crv, x, y }, 'ES256')
  // jose returns this type for secret keys only.
  if (imported instanceof Uint8Array) throw new TypeError('not a public key')
  const [oldest] = cache.keys()
  if (cache.size >= maxCached && oldest !== undefined) cache.delete(oldest)
  cache.set(name, imported)
  return imported
}
