import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * What takes long, also while a file is collected, which vitest does not count when it sorts files by their times; and `engines`,
 * whose tests can leave PostgreSQL out unless they ask for it by name.
 */
const slow = new RegExp(
  [
    'support/((shared-)?chromium|postgres|running-service|redis-server|nginx|pgbouncer)\\.ts$',
    'scripts/read-options\\.ts$',
    '^node:child_process$',
    '^typescript(59|/unstable/sync)$',
  ].join('|'),
)
const needsPostgres = "useEngine('PostgreSQL')"
const engines = resolve('test/support/engines.ts')

const verdicts = new Map<string, boolean>([[engines, false]])

/** Whether the file, or one of the test files that it imports, needs a browser, PostgreSQL or processes of its own. */
export function isSlow(file: string): boolean {
  const decided = verdicts.get(file)
  if (decided !== undefined) return decided
  verdicts.set(file, false)
  const text = readFileSync(file, 'utf8')
  const imported = [...text.matchAll(/^(?:import|export|\}).* from '([^']+)'/gm)].map(([, path = '']) => path)
  const files = imported.map((path) => (path.startsWith('.') ? resolve(dirname(file), path) : path))
  const verdict =
    text.includes(needsPostgres) || files.some((path) => slow.test(path) || (isTestCode(path) && isSlow(path)))
  verdicts.set(file, verdict)
  return verdict
}

const isTestCode = (file: string) => file.startsWith(resolve('test')) && file.endsWith('.ts')
