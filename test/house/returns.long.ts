import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'

/** Two thirds of what it was before each feature got a folder. A number that falls is lowered here. */
const maxReturns = 264

it('a reader who follows six requests turns back to a file no more often than recorded', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/trace.ts', '--returns'], { cwd: root })

  // | Trip | Returns in web half | Returns in service | Returns in both |
  const rows = [...stdout.matchAll(/^\| [^|]+ \| \d+ +\| \d+ +\| (\d+) +\|$/gm)]

  expect(rows).toHaveLength(6)
  expect(rows.reduce((sum, [, returns]) => sum + Number(returns), 0)).toBeLessThanOrEqual(maxReturns)
})
