import { timingSafeEqual } from 'node:crypto'

import { pinProblem } from '../../../contract/pin.ts'
import type { KeyType } from '../../../contract/pin.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Random } from '../../engine/base/random.ts'
import { type HashCost, slowHashes } from '../../engine/base/slow-hashes.ts'

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
  slowHashes.requireRoom('pin')
  return secrets.seal(await hashPin(random, pin ?? '', pinHashCost ?? defaultCosts[keyType]), {
    kind: 'pin',
    id: device.id,
    userId: device.userId,
  })
}

/**
 * No cost protects a PIN if database and keys are stolen: it has 10,000 values. For passcodes, the cost is what OWASP's password
 * storage cheat sheet recommends.
 */
const defaultCosts = { PIN: { N: 2 ** 14, r: 8, p: 1 }, PASSCODE: { N: 2 ** 15, r: 8, p: 3 } } as const

const messages = {
  form: { PIN: 'pin: 4 digits.', PASSCODE: 'pin: 6 to 64 characters.' },
  guessable: { PIN: 'pin: is too easy to guess.', PASSCODE: 'pin: is too easy to guess.' },
} as const

/** The hash of a PIN or passcode, which is then sealed. It contains its cost, so that the cost can be changed later. */
async function hashPin(random: Random, pin: string, cost: HashCost): Promise<string> {
  const salt = random(16)
  return [
    'scrypt',
    cost.N,
    cost.r,
    cost.p,
    base64url(salt),
    base64url(await slowHashes.hash('pin', { text: pin, salt, cost })),
  ].join(':')
}

/** @throws if the hash has an unknown format. */
export async function isPin(pin: string, hash: string): Promise<boolean> {
  const [name, n, r, p, salt = '', expected = ''] = hash.split(':')
  if (name !== 'scrypt') throw new Error('A stored PIN hash has an unknown format.')
  const cost = { N: Number(n), r: Number(r), p: Number(p) }
  const derivedHash = await slowHashes.hash('pin', { text: pin, salt: Buffer.from(salt, 'base64url'), cost })
  return timingSafeEqual(derivedHash, Buffer.from(expected, 'base64url'))
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
