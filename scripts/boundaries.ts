/** Checks the import rules of CONTRIBUTING.md. Run it alone with `node scripts/boundaries.ts`. */
import { join, relative, sep } from 'node:path'

import { findCycles } from './boundaries/cycles.ts'
import { againstTheOrder } from './boundaries/house.ts'
import { importRules, linesBeyondReExports } from './boundaries/rules.ts'
import { readSourceFile } from './boundaries/source-file.ts'
import type { SourceFile } from './boundaries/source-file.ts'
import { filesBelow } from './fingerprint.ts'
import { root } from './run.ts'

/** Returns one line per violation, with file and line. */
export async function findViolations(base: string): Promise<string[]> {
  const files = await Promise.all((await sourcePaths(base)).map((path) => readSourceFile(base, path)))
  return [...files.flatMap((file) => violationsOf(file)), ...cyclesOf(files), ...againstTheOrder(files)]
}

async function sourcePaths(base: string): Promise<string[]> {
  const files = [...(await filesBelow(join(base, 'src'))), ...(await filesBelow(join(base, 'example-app')))]
  return files.map((file) => relative(base, file).replaceAll(sep, '/')).filter((path) => /\.tsx?$/.test(path))
}

function violationsOf(file: SourceFile): string[] {
  const imports = file.imports.flatMap((imported) =>
    importRules
      .map((rule) => rule(file, imported))
      .filter((problem) => problem !== undefined)
      .map((problem) => `${file.path}:${imported.line}: ${problem}`),
  )
  const ownViolations = linesBeyondReExports(file).map((line) => `${file.path}:${line}: an index.ts only re-exports`)
  return [...imports, ...ownViolations]
}

function cyclesOf(files: readonly SourceFile[]): string[] {
  return findCycles(files).map(([first = '', ...rest]) => {
    const next = rest[0] ?? first
    const line = files
      .find((file) => file.path === first)
      ?.imports.find((imported) => imported.target === next && !imported.typeOnly && !imported.lazy)?.line
    return `${first}:${line}: circular import: ${[first, ...rest, first].join(' → ')}`
  })
}

if (import.meta.main) {
  const violations = await findViolations(root)
  for (const violation of violations) console.error(violation)
  process.exitCode = violations.length === 0 ? 0 : 1
}
