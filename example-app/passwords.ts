import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { BinaryLike, ScryptOptions } from 'node:crypto'
import { promisify } from 'node:util'

/** A password as it is stored. */
export interface PasswordHash {
  readonly salt: Buffer
  readonly hash: Buffer
}

/** The cost of a hash, as parameters of scrypt (RFC 7914). */
export type PasswordCost = Required<Pick<ScryptOptions, 'N' | 'r' | 'p'>>

/** One of the settings of the OWASP Password Storage Cheat Sheet: 32 MiB, about 0.2 s. */
export const recommendedCost: PasswordCost = { N: 2 ** 15, r: 8, p: 3 }
const maxmem = 64 * 1024 * 1024
const hashLength = 32

const derive = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt)

export async function hashPassword(password: string, cost: PasswordCost): Promise<PasswordHash> {
  const salt = randomBytes(16)
  return { salt, hash: await derive(password.normalize('NFC'), salt, hashLength, { ...cost, maxmem }) }
}

/** @param cost The one with which the stored password was hashed. */
export async function matchesPassword(
  password: string,
  { salt, hash }: PasswordHash,
  cost: PasswordCost,
): Promise<boolean> {
  return timingSafeEqual(await derive(password.normalize('NFC'), salt, hashLength, { ...cost, maxmem }), hash)
}

/** No password matches it, and checking takes as long as for any other hash. */
export const unmatchable: PasswordHash = { salt: randomBytes(16), hash: randomBytes(hashLength) }
