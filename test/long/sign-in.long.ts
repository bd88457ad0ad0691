import { describe, expect, it } from 'vitest'

import { compareSignIns } from '../support/compare-sign-ins.ts'
import { engines } from '../support/engines.ts'

describe.each(engines)('a sign-in by username on %s', (engine) => {
  it('a sign-in by username costs the same with 1,000 and with 1,000,000 users, within 30 percent', async () => {
    const ratio = await compareSignIns(engine, { few: 1_000, many: 1_000_000 })

    expect(ratio).toBeLessThan(1.3)
  })
})
