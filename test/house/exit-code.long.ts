import { spawnSync } from 'node:child_process'

import { expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'

const program = `
  const { default: setup } = await import('./test/support/shared-postgres.ts')
  const stop = await setup({ provide() {} })
  process.exitCode = Number(process.env.OUTCOME)
  await stop()
`

it.each([0, 1])('a test run with the shared PostgreSQL ends with the exit code of its tests: %s', (outcome) => {
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    env: { ...process.env, OUTCOME: String(outcome) },
    encoding: 'utf8',
  })

  expect({ status, stderr }).toEqual({ status: outcome, stderr: '' })
})
