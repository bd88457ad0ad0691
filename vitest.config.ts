import { fileURLToPath } from 'node:url'

import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

export default defineConfig({
  resolve: {
    // Tests run the sources under the names that people import.
    alias: [
      { find: /^second-factor$/, replacement: source('index.ts') },
      { find: /^second-factor\/(.+)$/, replacement: source('$1/index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build-assets.ts'],
    // Much of it waits for browsers, databases and sockets: a second worker halves the time on two cores.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }]],
  },
})
