import { importJWK } from 'jose'
import type { CryptoKey } from 'jose'

import type { PublicKey } from '../../contract/device.ts'

/** Devices whose inbox is held call every 25 s: to import their key takes as long as to check their signature. */
const mostKept = 20_000

/** By the key itself, so that nothing goes out of date. Of devices only: else anybody could fill it. */
const kept = new Map<string, CryptoKey>()

/** @throws where the point is not on the curve. */
export async function importedKey({ kty, crv, x, y }: PublicKey): Promise<CryptoKey> {
  const name = `${x}.${y}`
  const present = kept.get(name)
  if (present) return present
  const imported = await importJWK({ kty, crv, x, y }, 'ES256')
  // That is for keys that are secret.
  if (imported instanceof Uint8Array) throw new TypeError('not a public key')
  const [oldest] = kept.keys()
  if (kept.size >= mostKept && oldest !== undefined) kept.delete(oldest)
  kept.set(name, imported)
  return imported
}
