import { globSync, readFileSync } from 'node:fs'

import { defineConfig, mergeConfig } from 'vitest/config'

import config from './vitest.config.ts'

/** What `npm test` runs on SQLite only. */
const onMainEngines = globSync('test/**/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes('mainEngines'))

/** `npm run test:long`: what takes minutes. On a machine that does nothing else, as it measures. */
export default mergeConfig(
  { ...config, test: { ...config.test, include: [], globalSetup: [], reporters: [] } },
  defineConfig({
    test: {
      include: [
        'test/long/**/*.long.ts',
        'test/attacks/relay.test.ts',
        'test/authenticator/accessibility.test.ts',
        'test/authenticator/request-screen.test.ts',
        'test/console/accessibility.test.ts',
        'test/service/fuzz/fuzz.test.ts',
        'test/service/features/sessions/session-machine.test.ts',
        ...onMainEngines,
      ],
      env: { LONG: '1' },
      testTimeout: 600_000,
      hookTimeout: 120_000,
      fileParallelism: false,
      reporters: ['default'],
    },
  }),
)
