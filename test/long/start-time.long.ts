import { beforeAll, describe, expect, it } from 'vitest'

import { measureStarts, secondFactor } from '../../bench/start-time.ts'
import { median } from '../../bench/spread.ts'
import { build } from '../../scripts/build.ts'

describe('the start of an app', () => {
  beforeAll(build)

  it('takes less than 60 ms longer with mfa()', () => {
    const times = measureStarts(secondFactor).get('second-factor') ?? []

    expect(median(times)).toBeLessThan(60)
  })
})
