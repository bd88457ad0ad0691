import { describe, expect, it } from 'vitest'

import { isFresh } from '../../src/challenge/challenge.ts'
import type { Verified } from '../../src/challenge/challenge.ts'
import { createEpochs } from '../../src/challenge/epochs.ts'
import { isBeforeEnd } from '../../src/ground/clock.ts'
import { createTestClock } from '../../src/testing/clock.ts'

const now = 1_800_000_000
const day = 86_400
const verified = (at: number): Verified => ({ at, factor: 'push', userKey: 'id:1', epoch: 'epoch' }) as Verified

describe('a web app whose clock was ahead and is set back', () => {
  it('a web app whose clock was set back rejects verification records from the future', () => {
    const passed = [now + day, now + 61, now + 60, now].map((at) => isFresh(verified(at), 'id:1', now))

    expect(passed).toEqual([false, false, true, true])
  })

  it('a web app whose clock was set back trusts nothing for longer than otherwise', () => {
    const relied = [now + day, now + 361, now + 360, now + 1, now].map((until) => isBeforeEnd(until, 300, now))

    expect(relied).toEqual([false, false, true, true, false])
  })

  it('a web app whose clock was set back asks again whether a web session has ended, and denies it until then', async () => {
    const clock = createTestClock(now)
    let clockOffset = day
    const connect = () => Promise.reject(new Error('away'))
    const epochs = createEpochs({
      connect,
      clock: { ...clock, now: () => clock.now() + clockOffset },
      maxUnchecked: 900,
    })
    epochs.update(verified(now + day))
    const resultsBefore = [epochs.isKnown('id:1'), epochs.covers(verified(now))]
    clockOffset = 0

    expect(resultsBefore).toEqual([true, true])
    expect([epochs.isKnown('id:1'), epochs.covers(verified(now))]).toEqual([false, false])
  })
})
