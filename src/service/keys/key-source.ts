import { existsSync } from 'node:fs'

import type { Random } from '../rules/random.ts'
import { keyFileOf, openKeyFile, readKeyFile } from './key-file.ts'
import { formatKey, keySize, parseKeyRing } from '../sealing/key-ring.ts'
import type { KeyRing } from '../sealing/key-ring.ts'
import { KeysError } from '../sealing/key-ring.ts'

/** Where the keys of a service come from. */
export interface KeySource {
  /** Nothing where the keys are in no file of ours. */
  readonly file: string | undefined
  /** Whether the file was made just now. */
  readonly made: boolean
  /** The ring as it is at the moment. */
  readonly read: () => Promise<KeyRing>
}

interface Given {
  readonly database: string
  /** Goes before a key file. */
  readonly keys?: KeyRing | undefined
  readonly random: Random
  readonly create: boolean
}

/**
 * @param inUse Ids of the keys that the database has something sealed with: where there are any, none are made up.
 * @throws {KeysError} where the key file is missing.
 */
export async function openKeySource(
  { database, keys, random, create }: Given,
  inUse: readonly string[],
): Promise<KeySource> {
  if (keys) return fixed(keys)
  if (database === ':memory:') return fixed(parseKeyRing(formatKey('memory', random(keySize))))
  const file = keyFileOf(database)
  // Of a database that was there before, the keys are lost or elsewhere: new ones would not be its own.
  if ((inUse.length > 0 || !create) && !existsSync(file)) throw new KeysError(missing(file, inUse))
  const { made } = await openKeyFile(file, random)
  return { file, made, read: () => readKeyFile(file) }
}

/** A database elsewhere has no place beside it. @throws {TypeError} where keys have to be given. */
export function needKeys({ database, keys }: Pick<Given, 'database' | 'keys'>): void {
  if (!keys && isAddress(database)) throw new TypeError(keysAreNeeded)
}

export const isAddress = (database: string): boolean => /^postgres(ql)?:/.test(database)

const fixed = (ring: KeyRing): KeySource => ({ file: undefined, made: false, read: () => Promise.resolve(ring) })

const keysAreNeeded =
  'createService: keys: a PostgreSQL database needs them, the same on every node. Give the option, or set MFA_KEYS, ' +
  'to id:base64, such as k1: and the output of `openssl rand -base64 32`'

const missing = (file: string, inUse: readonly string[]) =>
  `its secrets are sealed with the key ${inUse.join(', ') || 'of a key file'}, and there is no key file ${file}. ` +
  'Put the key file back from its backup, or give the keys.'
