import { scrypt, timingSafeEqual } from 'node:crypto'

import { pinProblem } from '../../../contract/pin.ts'
import type { KeyType } from '../../../contract/pin.ts'
import type { HashCost, ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Random } from '../../engine/base/random.ts'

/**
 * The stored form of a new device's PIN or passcode. Hashing takes time, so do not wait for it in a transaction.
 * @throws {ApiProblem} if it has the wrong form or is too easy to guess.
 */
export async function newPin(
  { random, secrets, pinHashCost }: Pick<ServiceContext, 'random' | 'secrets' | 'pinHashCost'>,
  device: { readonly id: string; readonly userId: string },
  { keyType, pin }: { readonly keyType: KeyType; readonly pin: string | undefined },
): Promise<string | null> {
  if (keyType === 'NONE') return null
  const problem = pinProblem(keyType, pin ?? '')
  if (problem) throw new ApiProblem('api.error.invalid.pin', messages[problem][keyType])
  return secrets.seal(await hashPin(random, pin ?? '', pinHashCost), {
    kind: 'pin',
    id: device.id,
    userId: device.userId,
  })
}

const messages = {
  form: { PIN: 'pin: 4 digits.', PASSCODE: 'pin: 6 to 64 characters.' },
  guessable: { PIN: 'pin: is too easy to guess.', PASSCODE: 'pin: is too easy to guess.' },
} as const

/** The hash of a PIN or passcode, which is then sealed. It contains its cost, so that the cost can be changed later. */
async function hashPin(random: Random, pin: string, cost: HashCost): Promise<string> {
  const salt = random(16)
  return ['scrypt', cost.N, cost.r, cost.p, base64url(salt), base64url(await derive(pin, salt, cost))].join(':')
}

/** @throws if the hash has an unknown format. */
export async function isPin(pin: string, hash: string): Promise<boolean> {
  const [name, n, r, p, salt = '', expected = ''] = hash.split(':')
  if (name !== 'scrypt') throw new Error('A stored PIN hash has an unknown format.')
  const derivedHash = await derive(pin, Buffer.from(salt, 'base64url'), { N: Number(n), r: Number(r), p: Number(p) })
  return timingSafeEqual(derivedHash, Buffer.from(expected, 'base64url'))
}

/** Runs on another thread. */
function derive(pin: string, salt: Uint8Array, cost: HashCost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { ...cost, maxmem: 64 * 1024 * 1024 }
    scrypt(pin, salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
