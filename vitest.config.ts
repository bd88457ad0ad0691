import { fileURLToPath } from 'node:url'

import { defineConfig } from 'vitest/config'

import { MixedOrder } from './test/support/mixed-order.ts'
import { waitTimeout } from './test/support/wait-timeout.ts'

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const source = (path: string) => file(`./src/${path}`)

export default defineConfig({
  resolve: {
    // Tests run the sources under the names that people import.
    alias: [
      { find: /^second-factor$/, replacement: source('index.ts') },
      { find: /^second-factor\/(.+)$/, replacement: source('$1/index.ts') },
      // And databases in memory are recycled.
      { find: /^better-sqlite3$/, replacement: file('./test/support/recycled-sqlite.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    globalSetup: [
      'test/support/memory-folder.ts',
      'test/support/build-assets.ts',
      'test/support/shared-postgres.ts',
      'test/support/shared-package.ts',
    ],
    // Much of it waits for browsers, databases and processes, so three workers keep two cores busy. Each further one would
    // load everything and start a Chromium of its own.
    maxWorkers: 3,
    // A test file creates much that lives for one test: with room for it, the garbage is collected less often. Without the last two,
    // full collections take a tenth of the processor time. A worker then needs up to 1.8 GB of memory.
    // Each worker collects on its own thread, because the cores are busy: helping threads would wait for each other.
    execArgv: [
      '--min-semi-space-size=32',
      '--max-semi-space-size=32',
      '--single-threaded-gc',
      '--initial-old-space-size=1024',
      '--no-memory-reducer',
    ],
    // Loading the sources anew for each file would take a third of the processor time. So no test leaves anything behind in
    // a module, in `process.env` or in a prototype.
    isolate: false,
    sequence: { sequencer: MixedOrder },
    // Safety nets and no rules, wide enough for a machine that is slow and busy. What a test waits for in a page or by
    // `expect.poll` gives up first, and names what it waited for.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: waitTimeout } },
    // Only where nobody looks on. The check names each test that needed it, and fails when more than a few did.
    retry: process.env.CI ? 1 : 0,
    reporters: ['default', './test/support/second-tries.ts', ['json', { outputFile: 'reports/vitest.json' }]],
  },
})
