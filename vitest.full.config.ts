import { mergeConfig } from 'vitest/config'

import config from './vitest.config.ts'

/**
 * `npm run test:full`: what `npm test` runs, each on both databases and in its long form, and `*.long.ts`, of which `npm test` has
 * a short form.
 */
export default mergeConfig(config, {
  test: {
    include: ['test/**/*.long.ts'],
    exclude: ['test/long/**', 'node_modules/**'],
    env: { LONG: '1' },
    testTimeout: 600_000,
  },
})
