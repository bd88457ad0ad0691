import { readFile, realpath, rename, stat } from 'node:fs/promises'

import type { Random } from '../base/random.ts'
import { formatKey, keySize, parseKeyRing } from './key-ring.ts'
import { writeNew } from './key-file.ts'

/** Adds a new primary key. Running services load it automatically. @returns its id. */
export async function addKey(path: string, random: Random): Promise<string> {
  const entries = await readEntries(path)
  const ids = new Set(entries.map((entry) => idOf(entry)))
  let number = entries.length + 1
  while (ids.has(`k${number}`)) number += 1
  const id = `k${number}`
  await replace(path, [formatKey(id, random(keySize)), ...entries], random)
  return id
}

/** @returns false if the file does not contain it. */
export async function removeKey(path: string, id: string, random: Random): Promise<boolean> {
  const entries = await readEntries(path)
  const otherEntries = entries.filter((entry) => idOf(entry) !== id)
  if (otherEntries.length === entries.length) return false
  await replace(path, otherEntries, random)
  return true
}

const idOf = (entry: string): string => entry.slice(0, entry.indexOf(':'))

async function readEntries(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8')
  return text
    .split(/[\n,]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** Atomic: readers see either the old file or the new one. A symbolic link stays, and the file it leads to is the one that changes. */
async function replace(name: string, entries: readonly string[], random: Random): Promise<void> {
  const text = `${entries.join('\n')}\n`
  parseKeyRing(entries.join(','))
  const path = await realpath(name)
  const scratch = `${path}.${Buffer.from(random(8)).toString('hex')}`
  const { uid, gid } = await stat(path)
  await writeNew(scratch, text, async (file) => {
    // The file keeps its owner, because an administrator may edit it for the service's user.
    if (process.getuid?.() === 0) await file.chown(uid, gid)
  })
  await rename(scratch, path)
}
