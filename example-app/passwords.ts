import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { BinaryLike, ScryptOptions } from 'node:crypto'
import { promisify } from 'node:util'

/** A password as it is stored. */
export interface PasswordHash {
  readonly salt: Buffer
  readonly hash: Buffer
}

/** One of the settings of the OWASP Password Storage Cheat Sheet: 32 MiB, about 0.2 s. */
const settings = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }
const hashLength = 32

const derive = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt)

export async function hashPassword(password: string): Promise<PasswordHash> {
  const salt = randomBytes(16)
  return { salt, hash: await derive(password.normalize('NFC'), salt, hashLength, settings) }
}

export async function matchesPassword(password: string, stored: PasswordHash): Promise<boolean> {
  return timingSafeEqual(await derive(password.normalize('NFC'), stored.salt, hashLength, settings), stored.hash)
}

/** No password matches it, and checking takes as long as for any other hash. */
export const unmatchable: PasswordHash = { salt: randomBytes(16), hash: randomBytes(hashLength) }
