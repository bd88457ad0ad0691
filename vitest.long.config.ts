import { mergeConfig, defineConfig } from 'vitest/config'

import config from './vitest.config.ts'

/** What takes minutes, and measures: on a machine that does nothing else. */
export default mergeConfig(
  { ...config, test: { ...config.test, include: [], globalSetup: [], reporters: [] } },
  defineConfig({
    test: {
      include: ['test/long/**/*.long.ts'],
      env: { LONG: '1' },
      testTimeout: 600_000,
      hookTimeout: 120_000,
      fileParallelism: false,
      reporters: ['default'],
    },
  }),
)
