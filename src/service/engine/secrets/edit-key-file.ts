import { readFile, realpath, rename, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

import { flushFolder } from '../../../ground/flush.ts'
import { RefusalError } from '../base/errors.ts'
import type { Random } from '../base/random.ts'
import { formatKey, keySize, parseKeyRing } from './key-ring.ts'
import { openNew, writeWhole } from './key-file.ts'

/**
 * Adds a new primary key. Running services load it automatically.
 *
 * @returns its id, which no key had before: a backup may still need that key. The file may be an older copy, which does not know the
 * keys that were added after it, so a part of the id is random.
 * @throws {RefusalError} while another process changes the file.
 */
export async function addKey(path: string, random: Random): Promise<string> {
  let id = ''
  await edit(path, (entries) => {
    const numbers = entries.map((entry) => Number(/^k(\d{1,9})[:_]/.exec(entry)?.[1] ?? 0))
    id = `k${Math.max(entries.length, ...numbers) + 1}_${Buffer.from(random(idSize)).toString('hex')}`
    return [formatKey(id, random(keySize)), ...entries]
  })
  return id
}

/** The size of the random part of an id, bytes. */
const idSize = 4

/** Does nothing if the file does not contain the key. @throws {RefusalError} while another process changes the file. */
export async function removeKey(path: string, id: string): Promise<void> {
  await edit(path, (entries) => entries.filter((entry) => !entry.startsWith(`${id}:`)))
}

/**
 * Atomic: readers see either the old file or the new one, and one process at a time changes it. The new file is the lock, beside
 * the old one. A symbolic link stays, and the file it leads to is the one that changes.
 */
async function edit(name: string, change: (entries: readonly string[]) => readonly string[]): Promise<void> {
  const path = await realpath(name)
  const changed = `${path}.changed`
  const { uid, gid } = await stat(path)
  const file = await openNew(changed).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    throw new RefusalError(
      `Another command is changing ${path}. If none is running, remove ${changed}, which it has left.`,
    )
  })
  // From here on it is ours, so a failure removes it. That of another process stays.
  try {
    await writeWhole(file, async () => {
      // The file keeps its owner, because an administrator may edit it for the service's user.
      if (process.getuid?.() === 0) await file.chown(uid, gid)
      const entries = change(await readEntries(path))
      parseKeyRing(entries.join(','))
      await file.writeFile(`${entries.join('\n')}\n`)
    })
    await rename(changed, path)
  } catch (error) {
    await unlink(changed)
    throw error
  }
  // Otherwise a power cut could bring back the old file, and what a service has sealed with the new key meanwhile would be lost.
  flushFolder(dirname(path))
}

async function readEntries(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8')
  return text
    .split(/[\n,]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}
