import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

import type { PublicKey } from '../../../contract/device.ts'

/** Devices with a held inbox call every 25 s, and importing a key takes a third of the time of verifying a signature. */
const maxCached = 20_000

/**
 * Keyed by the public key, so that entries never go stale. Only keys of devices are cached: otherwise attackers could fill it.
 */
const cache = new Map<string, KeyObject>()

/** @throws if the point is not on the curve. */
export const importKey = ({ kty, crv, x, y }: PublicKey): KeyObject =>
  createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' })

/** The same for the key of a device. */
export function importedKey(key: PublicKey): KeyObject {
  const name = `${key.x}.${key.y}`
  const cached = cache.get(name)
  if (cached) return cached
  const imported = importKey(key)
  const [oldest] = cache.keys()
  if (cache.size >= maxCached && oldest !== undefined) cache.delete(oldest)
  cache.set(name, imported)
  return imported
}
