import { existsSync } from 'node:fs'

import { formatKey, KeysError, keySize, parseKeyRing } from './key-ring.ts'
import type { KeyRing } from './key-ring.ts'
import { keyChecks } from './key-nodes.ts'
import { loadKeys } from './service-keys.ts'
import type { ServiceKeys, KeysContext, KeySource } from './keys-context.ts'
import { keyFileOf, openKeyFile, readKeyFile } from './key-file.ts'

interface KeyOptions extends Omit<KeysContext, 'store'> {
  readonly database: string
  /** Takes precedence over a key file. */
  readonly keys?: KeyRing | undefined
  /** Whether a missing key file is created; default true. */
  readonly create?: boolean | undefined
}

/**
 * Opens the keys of an open database.
 * @throws {KeysError} if they are missing, or do not belong to it; nothing is changed then.
 */
export async function openKeys(store: KeysContext['store'], options: KeyOptions): Promise<ServiceKeys> {
  const source = await openSource(store, options)
  return loadKeys({ ...options, store }, source, options.database === ':memory:')
}

async function openSource(
  store: KeysContext['store'],
  { database, keys, random, logger, create = true }: KeyOptions,
): Promise<KeySource> {
  if (keys) return fixed(keys)
  if (database === ':memory:') return fixed(parseKeyRing(formatKey('memory', random(keySize))))
  const file = keyFileOf(database)
  const inUse = (await keyChecks(store.db)).map(({ keyId }) => keyId)
  // The keys of an existing database are lost or elsewhere: new ones would not match it.
  const mayCreate = create || store.created
  if ((inUse.length > 0 || !mayCreate) && !existsSync(file)) throw new KeysError(missing(file, inUse))
  const { created } = await openKeyFile(file, random)
  if (created) logger.warn({ file }, backUp(file))
  return { file, read: () => readKeyFile(file) }
}

/** A remote database has no folder for a key file. @throws {TypeError} if keys have to be given. */
export function requireKeys({ database, keys }: Pick<KeyOptions, 'database' | 'keys'>): void {
  if (!keys && isAddress(database)) throw new TypeError(keysAreNeeded)
}

export const isAddress = (database: string): boolean => /^postgres(ql)?:/.test(database)

const fixed = (ring: KeyRing): KeySource => ({ file: undefined, read: () => Promise.resolve(ring) })

const keysAreNeeded =
  'createService: keys: required for a PostgreSQL database, the same on every node. Set the option, or MFA_KEYS, ' +
  'to id:base64, such as k1: and the output of `openssl rand -base64 32`'

const missing = (file: string, inUse: readonly string[]) =>
  `its secrets are sealed with the key ${inUse.join(', ') || 'of a key file'}, and there is no key file ${file}. ` +
  'Restore the key file from its backup, or set the keys.'

const backUp = (file: string) =>
  `The secrets of this database are encrypted with the keys in ${file}, which was just created. ` +
  'Back up that file, apart from the database: without it codes no longer work; with both, a thief can use them.'
