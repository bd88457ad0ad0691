import { existsSync } from 'node:fs'

import type { Random } from '../rules/random.ts'
import { keyFileOf, openKeyFile, readKeyFile } from './key-file.ts'
import { formatKey, keySize, parseKeyRing } from '../sealing/key-ring.ts'
import type { KeyRing } from '../sealing/key-ring.ts'
import { KeysError } from '../sealing/key-ring.ts'

/** The source of a service's keys. */
export interface KeySource {
  /** Undefined if the keys are not in a key file. */
  readonly file: string | undefined
  /** Whether the file was created just now. */
  readonly made: boolean
  /** The current key ring. */
  readonly read: () => Promise<KeyRing>
}

interface Given {
  readonly database: string
  /** Takes precedence over a key file. */
  readonly keys?: KeyRing | undefined
  readonly random: Random
  readonly create: boolean
}

/**
 * @param inUse Ids of the keys in use by the database: if there are any, no new keys are generated.
 * @throws {KeysError} if the key file is missing.
 */
export async function openKeySource(
  { database, keys, random, create }: Given,
  inUse: readonly string[],
): Promise<KeySource> {
  if (keys) return fixed(keys)
  if (database === ':memory:') return fixed(parseKeyRing(formatKey('memory', random(keySize))))
  const file = keyFileOf(database)
  // The keys of an existing database are lost or elsewhere: new ones would not match it.
  if ((inUse.length > 0 || !create) && !existsSync(file)) throw new KeysError(missing(file, inUse))
  const { made } = await openKeyFile(file, random)
  return { file, made, read: () => readKeyFile(file) }
}

/** A remote database has no folder for a key file. @throws {TypeError} if keys have to be given. */
export function requireKeys({ database, keys }: Pick<Given, 'database' | 'keys'>): void {
  if (!keys && isAddress(database)) throw new TypeError(keysAreNeeded)
}

export const isAddress = (database: string): boolean => /^postgres(ql)?:/.test(database)

const fixed = (ring: KeyRing): KeySource => ({ file: undefined, made: false, read: () => Promise.resolve(ring) })

const keysAreNeeded =
  'createService: keys: required for a PostgreSQL database, the same on every node. Set the option, or MFA_KEYS, ' +
  'to id:base64, such as k1: and the output of `openssl rand -base64 32`'

const missing = (file: string, inUse: readonly string[]) =>
  `its secrets are sealed with the key ${inUse.join(', ') || 'of a key file'}, and there is no key file ${file}. ` +
  'Restore the key file from its backup, or set the keys.'
