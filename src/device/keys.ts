import { PublicKey } from '../contract/device.ts'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const

export async function createKeyPair(extractable: boolean): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, extractable, ['sign', 'verify'])
}

/** The public key in the form that is sent. */
export async function exportPublicKey(key: CryptoKey): Promise<PublicKey> {
  return PublicKey.parse(await crypto.subtle.exportKey('jwk', key))
}

/** The private key as JSON, to save it in a file. @throws when the key is not extractable. */
export async function exportPrivateKey(key: CryptoKey): Promise<JsonWebKey> {
  return crypto.subtle.exportKey('jwk', key)
}

export async function importPrivateKey(key: JsonWebKey): Promise<CryptoKey> {
  // Extractable, as its file is written again as a whole.
  return crypto.subtle.importKey('jwk', key, algorithm, true, ['sign'])
}
