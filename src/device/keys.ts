import { PublicKey } from '../contract/device.ts'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const

export async function createKeyPair(extractable: boolean): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, extractable, ['sign', 'verify'])
}

/** The public half, as it goes over the wire. */
export async function exportPublicKey(key: CryptoKey): Promise<PublicKey> {
  return PublicKey.parse(await crypto.subtle.exportKey('jwk', key))
}

/** The private half as JSON, for a place that keeps files. @throws when the key was made not to be extracted. */
export async function exportPrivateKey(key: CryptoKey): Promise<JsonWebKey> {
  return crypto.subtle.exportKey('jwk', key)
}

export async function importPrivateKey(key: JsonWebKey): Promise<CryptoKey> {
  // Extractable, as it has to be written again with the rest of its file.
  return crypto.subtle.importKey('jwk', key, algorithm, true, ['sign'])
}
