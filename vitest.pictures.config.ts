import { defineConfig, mergeConfig } from 'vitest/config'

import config from './vitest.config.ts'

/** `npm run pictures`: photographs every page and screen, for people to look at. */
export default mergeConfig(
  { ...config, test: { ...config.test, include: [], reporters: [] } },
  defineConfig({
    test: { include: ['test/pictures/**/*.pictures.ts'], testTimeout: 900_000, maxWorkers: 1, reporters: ['default'] },
  }),
)
