import { createDecipheriv, createHash } from 'node:crypto'

/** Opens what better-auth has encrypted. @returns undefined where no secret fits. */
export type OpenSecret = (sealed: string) => string | undefined

/**
 * Opens texts of better-auth by the secrets in a file: one secret, or `version:secret`, several of which stand in lines or between
 * commas, as in `BETTER_AUTH_SECRETS`. The text of a wrong secret never opens: Poly1305 authenticates it.
 */
export function opener(secrets: string): OpenSecret {
  const lines = secrets
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const entries = lines.flatMap((line) => (/^\d+:/.test(line) ? line.split(',') : []))
  const versions = new Map(entries.flatMap((entry) => versionOf(entry.trim())))
  const keys = new Map<string, Buffer>()
  const keyOf = (secret: string) => {
    const key = keys.get(secret) ?? createHash('sha256').update(secret).digest()
    keys.set(secret, key)
    return key
  }
  const withoutVersion = [...new Set([...lines, ...versions.values()])]
  return (sealed) => {
    const [, version, rotated] = /^\$ba\$(\d{1,9})\$([0-9a-f]*)$/i.exec(sealed) ?? []
    const candidates = version === undefined ? withoutVersion : [versions.get(Number(version))]
    for (const secret of candidates) {
      const opened = secret === undefined ? undefined : open(keyOf(secret), rotated ?? sealed)
      if (opened !== undefined) return opened
    }
    return undefined
  }
}

function versionOf(entry: string): [number, string][] {
  const [, version, secret] = /^(\d{1,9}):(.+)$/.exec(entry) ?? []
  return version === undefined || secret === undefined ? [] : [[Number(version), secret.trim()]]
}

const [nonceLength, tagLength] = [24, 16]

/** XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): nonce, ciphertext and tag, in hexadecimal. */
function open(key: Buffer, sealed: string): string | undefined {
  if (!/^(?:[0-9a-f]{2})+$/i.test(sealed)) return undefined
  const bytes = Buffer.from(sealed, 'hex')
  if (bytes.length < nonceLength + tagLength) return undefined
  const nonce = bytes.subarray(0, nonceLength)
  const decipher = createDecipheriv(
    'chacha20-poly1305',
    subkey(key, nonce.subarray(0, 16)),
    Buffer.concat([Buffer.alloc(4), nonce.subarray(16)]),
    { authTagLength: tagLength },
  )
  decipher.setAuthTag(bytes.subarray(-tagLength))
  try {
    const text = decipher.update(bytes.subarray(nonceLength, -tagLength))
    decipher.final()
    return text.toString('utf8')
  } catch {
    // It does not authenticate.
    return undefined
  }
}

/** HChaCha20 (section 2.2 of the draft): 20 rounds over constants, key and nonce. The first and the last row are the subkey. */
function subkey(key: Buffer, nonce: Buffer): Buffer {
  const state = new Uint32Array(16)
  state.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574])
  for (let index = 0; index < 8; index += 1) state[4 + index] = key.readUInt32LE(index * 4)
  for (let index = 0; index < 4; index += 1) state[12 + index] = nonce.readUInt32LE(index * 4)
  for (let round = 0; round < 10; round += 1) {
    for (let column = 0; column < 4; column += 1) quarterRound(state, column, column + 4, column + 8, column + 12)
    for (let column = 0; column < 4; column += 1)
      quarterRound(state, column, 4 + ((column + 1) % 4), 8 + ((column + 2) % 4), 12 + ((column + 3) % 4))
  }
  const output = Buffer.alloc(32)
  ;[0, 1, 2, 3, 12, 13, 14, 15].forEach((word, index) => output.writeUInt32LE(state[word] ?? 0, index * 4))
  return output
}

/** RFC 8439 section 2.1. */
function quarterRound(state: Uint32Array, a: number, b: number, c: number, d: number): void {
  const mix = (sum: number, addend: number, target: number, bits: number) => {
    state[sum] = (state[sum] ?? 0) + (state[addend] ?? 0)
    const mixed = (state[target] ?? 0) ^ (state[sum] ?? 0)
    state[target] = (mixed << bits) | (mixed >>> (32 - bits))
  }
  mix(a, b, d, 16)
  mix(c, d, b, 12)
  mix(a, b, d, 8)
  mix(c, d, b, 7)
}
