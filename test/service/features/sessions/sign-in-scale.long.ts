import { describe, expect, it } from 'vitest'

import { compareSignIns } from '../../../support/compare-sign-ins.ts'
import { mainEngines } from '../../../support/engines.ts'
import { isLongRun } from '../../../support/full-run.ts'

/** The long run measures more of them. */
const many = isLongRun ? 100_000 : 20_000

describe.each(mainEngines)('a sign-in by username on %s', (engine) => {
  it(
    'a sign-in by username costs the same with 1,000 users and with many, within 30 percent',
    { timeout: 180_000 },
    async () => {
      const ratio = await compareSignIns(engine, { few: 1_000, many })

      expect(ratio).toBeLessThan(1.3)
    },
  )
})
