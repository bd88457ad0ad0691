import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { parseSync } from 'vite'

export interface SourcePattern {
  /** File and the text of the pattern, for people. */
  readonly name: string
  readonly pattern: RegExp
}

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Every regular expression that is written in `src`, found by parsing it: text would mistake divisions and comments. */
export function sourcePatterns(): SourcePattern[] {
  return globSync('src/**/*.{ts,tsx,js}', { cwd: root })
    .toSorted()
    .flatMap((file) => {
      const { program, errors } = parseSync(file, readFileSync(root + file, 'utf8'))
      if (errors.length > 0) throw new Error(`${file} could not be parsed`)
      return literals(program).map((pattern) => ({ name: `${file} ${String(pattern)}`, pattern }))
    })
}

function literals(node: unknown): RegExp[] {
  if (typeof node !== 'object' || node === null) return []
  if ('type' in node && node.type === 'Literal' && 'regex' in node && node.regex) {
    const { pattern, flags } = node.regex as { pattern: string; flags: string }
    return [new RegExp(pattern, flags)]
  }
  return Object.values(node).flatMap((inner) => literals(inner))
}
