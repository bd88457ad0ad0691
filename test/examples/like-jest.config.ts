import { fileURLToPath } from 'node:url'

import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: { include: ['examples/testing/jest.test.js'], globals: true, pool: 'vmThreads', reporters: ['default'] },
})
