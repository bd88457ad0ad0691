/** `npm run test:quick`: the tests that need neither a browser nor PostgreSQL nor processes of their own. */
import { globSync } from 'node:fs'
import { resolve } from 'node:path'

import { mergeConfig } from 'vitest/config'

import { isSlow } from './test/support/slow-files.ts'
import full from './vitest.config.ts'

export default mergeConfig(full, {
  test: {
    env: { SQLITE_ONLY: '1' },
    exclude: globSync('{test,examples}/**/*.test.ts').filter((file) => isSlow(resolve(file))),
  },
})
