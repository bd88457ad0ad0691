import { statSync } from 'node:fs'
import { link, open, readFile, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'

import { flushFolder } from '../../../ground/flush.ts'
import type { Random } from '../base/random.ts'
import type { KeyRing } from './key-ring.ts'
import { formatKey, KeysError, keySize, parseKeyRing } from './key-ring.ts'

/** The default path of the key file. */
export const keyFileOf = (database: string): string => `${database}.keys`

/**
 * Reads the key ring of a file, and creates the file if it is missing. Processes that start at the same moment end up with the
 * same key.
 *
 * @returns whether the file was created, so that the operator can be told to back it up, apart from the database.
 */
export async function openKeyFile(path: string, random: Random): Promise<{ ring: KeyRing; created: boolean }> {
  const current = await readIfThere(path)
  if (current !== undefined) return { ring: parseKeyFile(path, current), created: false }
  const created = await makeKeyFile(path, `${formatKey('k1', random(keySize))}\n`, random)
  return { ring: parseKeyFile(path, await readFile(path, 'utf8')), created }
}

/**
 * Reads the key ring of an existing file. Never creates one: a new key for an existing database would open nothing, and a
 * backup would keep the wrong file.
 *
 * @throws {KeysError} if the file is missing.
 */
export async function readKeyFile(path: string): Promise<KeyRing> {
  const text = await readIfThere(path)
  if (text === undefined) {
    throw new KeysError(
      `The key file ${path} is missing. The service keeps its loaded keys until it stops: send it SIGUSR2 to ` +
        'save them to a new file, or restore the file from its backup.',
    )
  }
  return parseKeyFile(path, text)
}

/**
 * Writes the key ring to a new file, mode 0600.
 *
 * @throws {Error} with code `EEXIST` if the file exists: keys are never overwritten.
 */
export async function saveKeyFile(path: string, { keys }: KeyRing): Promise<void> {
  const text = keys.map(({ id, secret }) => `${formatKey(id, secret)}\n`).join('')
  await writeNew(path, text)
  flushFolder(dirname(path))
}

/** Writes a new file, mode 0600, and waits until it is on the disk. @throws {Error} with code `EEXIST` if the file exists. */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await openNew(path)
  await writeWhole(file, () => file.writeFile(text))
}

/** @throws {Error} with code `EEXIST` if the file exists. */
export const openNew = (path: string): Promise<FileHandle> => open(path, 'wx', 0o600)

/** Waits until what is written to a new file, mode 0600, is on the disk, and closes it. */
export async function writeWhole(file: FileHandle, write: () => Promise<void>): Promise<void> {
  try {
    // The umask can only remove permissions; the mode is set explicitly all the same.
    await file.chmod(0o600)
    await write()
    await file.sync()
  } finally {
    await file.close()
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new KeysError(`The key file ${path} cannot be read: ${whyUnreadable(path)}`, { cause: error })
  }
}

function whyUnreadable(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  // A container makes a folder of a missing file that it should mount.
  if (stats?.isDirectory()) return 'it is a folder.'
  return stats === undefined || stats.uid === process.getuid?.() ? 'check its mode.' : 'another user owns it.'
}

/** Written completely under another name and then linked: no reader sees half a key, and only the first link succeeds. */
async function makeKeyFile(path: string, text: string, random: Random): Promise<boolean> {
  const scratch = `${path}.${Buffer.from(random(8)).toString('hex')}`
  await writeNew(scratch, text)
  try {
    await link(scratch, path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    await unlink(scratch)
    // Before anything is sealed with the key.
    flushFolder(dirname(path))
  }
}

function parseKeyFile(path: string, text: string): KeyRing {
  try {
    return parseKeyRing(text.split('\n').join(','))
  } catch (cause) {
    throw new TypeError(`The key file ${path} is invalid: ${cause instanceof Error ? cause.message : ''}`, {
      cause,
    })
  }
}
