import { keyChecks } from '../store/key-nodes.ts'
import { holdKeys } from './held-keys.ts'
import type { HeldKeys, HoldingContext } from './held-keys.ts'
import type { KeyRing } from '../sealing/key-ring.ts'
import { openKeySource } from './key-source.ts'

interface Given extends Omit<HoldingContext, 'store'> {
  readonly database: string
  readonly keys?: KeyRing | undefined
  /** Whether a missing key file is created; default true. */
  readonly create?: boolean | undefined
}

/** Opens the keys of an open database. @throws {KeysError} if they do not belong to it; nothing is changed then. */
export async function openKeys(store: HoldingContext['store'], given: Given): Promise<HeldKeys> {
  const { database, keys, random, logger, create = true } = given
  const inUse = (await keyChecks(store.db)).map(({ keyId }) => keyId)
  const source = await openKeySource({ database, keys, random, create: create || store.created }, inUse)
  if (source.made) logger.warn({ file: source.file }, backUp(source.file))
  return holdKeys({ ...given, store }, source, database === ':memory:')
}

const backUp = (file = '') =>
  `The secrets of this database are encrypted with the keys in ${file}, which was just created. ` +
  'Back up that file, apart from the database: without it codes no longer work; with both, a thief can use them.'
