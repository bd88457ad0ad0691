import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'

// Jest loads ES modules by node:vm, under the switch that the recipe names, and defines `test` and `expect` as globals.
// vitest does both in its pool `vmThreads`, so the recipe is run without a second test runner among the dependencies.
it('the example for Jest runs with the built package', async () => {
  const config = join(import.meta.dirname, 'like-jest.config.ts')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config],
    { cwd: root, env: { ...process.env, NO_COLOR: '1' } },
  )

  expect(stdout).toMatch(/Tests\s+1 passed/)
})
