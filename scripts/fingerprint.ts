import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** Hashes the names and contents of files and folders. Skips those that do not exist. */
export async function fingerprint(root: string, paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const path of paths) {
    for (const file of await filesBelow(join(root, path))) {
      const content = await readFile(file)
      hash.update(`${relative(root, file)}\0${content.length}\0`).update(content)
    }
  }
  return hash.digest('hex')
}

/** All files of a folder in a fixed order; a file itself; nothing for a path that does not exist. */
export async function filesBelow(path: string): Promise<string[]> {
  const stats = await stat(path).catch(() => undefined)
  if (!stats) return []
  if (stats.isFile()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
