import { chmod, link, open, readFile, unlink } from 'node:fs/promises'

import type { Random } from '../rules/random.ts'
import type { KeyRing } from './key-ring.ts'
import { formatKey, keySize, parseKeyRing } from './key-ring.ts'

/** Where the keys of an embedded database are, when nothing else says so. */
export const keyFileOf = (database: string): string => `${database}.keys`

/**
 * Reads the ring of a key file, and makes the file where there is none. Processes that start at the same moment end up
 * with one and the same key.
 *
 * @returns whether the file was made now: then somebody should be told to back it up, apart from the database.
 */
export async function openKeyFile(path: string, random: Random): Promise<{ ring: KeyRing; made: boolean }> {
  const present = await readIfThere(path)
  if (present !== undefined) return { ring: parseKeyFile(path, present), made: false }
  const made = await makeKeyFile(path, `${formatKey('k1', random(keySize))}\n`, random)
  return { ring: parseKeyFile(path, await readFile(path, 'utf8')), made }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new Error(`The key file ${path} cannot be read`, { cause: error })
  }
}

/** Written whole under another name and then linked: nobody ever reads half a key, and only the first link succeeds. */
async function makeKeyFile(path: string, text: string, random: Random): Promise<boolean> {
  const scratch = `${path}.${Buffer.from(random(8)).toString('hex')}`
  const file = await open(scratch, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    // The umask may have taken more away, never less; say it once more all the same.
    await chmod(scratch, 0o600)
    await link(scratch, path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    await unlink(scratch)
  }
}

function parseKeyFile(path: string, text: string): KeyRing {
  try {
    return parseKeyRing(text.split('\n').join(','))
  } catch (cause) {
    throw new TypeError(`The key file ${path} is not as it has to be: ${cause instanceof Error ? cause.message : ''}`, {
      cause,
    })
  }
}
