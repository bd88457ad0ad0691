/** `npm run test:quick`: the tests that need neither a browser nor PostgreSQL nor processes of their own. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

import { mergeConfig } from 'vitest/config'

import full from './vitest.config.ts'

/** What takes long, and `engines`, which leaves PostgreSQL out here. */
const slow =
  /support\/((shared-)?chromium|postgres|running-service|redis-server|nginx|pgbouncer)\.ts$|node:child_process/
const engines = resolve('test/support/engines.ts')

const known = new Map<string, boolean>([[engines, false]])

/** Whether the file, or one of the test files that it imports, needs what takes long. */
function isSlow(file: string): boolean {
  const decided = known.get(file)
  if (decided !== undefined) return decided
  known.set(file, false)
  const imported = [...readFileSync(file, 'utf8').matchAll(/^(?:import|export|\}).* from '([^']+)'/gm)].map(
    ([, path = '']) => path,
  )
  const files = imported.filter((path) => path.startsWith('.')).map((path) => resolve(dirname(file), path))
  const found = imported.some((path) => slow.test(path)) || files.some((path) => isTestCode(path) && isSlow(path))
  known.set(file, found)
  return found
}

const isTestCode = (file: string) => file.startsWith(resolve('test')) && file.endsWith('.ts')

export default mergeConfig(full, {
  test: {
    env: { SQLITE_ONLY: '1' },
    exclude: globSync('{test,examples}/**/*.test.ts').filter((file) => isSlow(resolve(file))),
  },
})
