import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { root } from './run.ts'

/** The exports of package.json and the command, as names below src/ and dist/, such as `client/index`. */
export async function entries(): Promise<string[]> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | Record<string, string>>
  }
  const files = Object.values(manifest.exports).flatMap((entry) => Object.values(entry))
  const names = files.flatMap((file) => /^\.\/dist\/(.+)\.js$/.exec(file)?.[1] ?? [])
  return [...new Set(names), 'cli/main']
}
