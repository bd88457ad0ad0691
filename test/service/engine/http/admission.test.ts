import { describe, expect, it } from 'vitest'

import { createAdmission } from '../../../../src/service/engine/http/admission.ts'

/** @param times The duration of each request in turn, in milliseconds. */
function start({ max = 100, responseTime = 500 } = {}) {
  let time = 0
  let endTurn = () => {}
  const afterTurn = (callback: () => void) => void (endTurn = callback)
  const admission = createAdmission({ max, responseTime, now: () => time, afterTurn })
  const enter = (urgency: 'finishes' | 'continues' | 'begins' = 'begins') => admission.enter(urgency)
  /** Sends as many requests at once as are admitted. @returns their number. */
  const fill = (milliseconds: number): number => {
    const inside: (() => void)[] = []
    for (let leave = enter(); leave; leave = enter()) inside.push(leave)
    time += milliseconds
    for (const leave of inside) leave()
    endTurn()
    return inside.length
  }
  const pass = (milliseconds: number) => void (time += milliseconds)
  return { enter, fill, pass, endTurn: () => endTurn() }
}

describe('the number of concurrent requests', () => {
  it('the number of concurrent requests is limited, and each one that ends makes room for another', () => {
    const { enter } = start({ max: 2 })

    const [first] = [enter(), enter()]
    const refused = enter()
    first?.()

    expect([refused, enter()]).toEqual([undefined, expect.any(Function)])
    expect(enter()).toBeUndefined()
  })

  it('a request that ends twice is counted once toward the concurrency limit', () => {
    const { enter } = start({ max: 1 })
    const leave = enter()

    leave?.()
    leave?.()
    enter()

    expect(enter()).toBeUndefined()
  })

  it('the concurrency limit leaves room for sign-ins in progress, and never refuses requests that complete an approval', () => {
    const { enter } = start({ max: 2 })
    for (let count = 0; count < 2; count += 1) enter()

    expect(enter('begins')).toBeUndefined()
    expect([enter('continues'), enter('continues'), enter('continues')]).toEqual([
      expect.any(Function),
      expect.any(Function),
      undefined,
    ])
    for (let count = 0; count < 100; count += 1) expect(enter('finishes')).toBeInstanceOf(Function)
  })

  it('the concurrency limit falls to as low as 16 while half of the requests are too slow, and otherwise rises again', () => {
    const { fill } = start({ max: 100, responseTime: 500 })

    const falling = [fill(600), fill(600), fill(600)]
    for (let round = 0; round < 20; round += 1) fill(600)
    const least = fill(600)
    for (let round = 0; round < 40; round += 1) fill(200)

    expect(falling).toEqual([100, 70, 49])
    expect(least).toBe(16)
    expect(fill(200)).toBe(100)
  })

  it('the concurrency limit does not fall because of a few slow requests', () => {
    const { enter, fill, pass } = start({ max: 100, responseTime: 500 })
    const slow = [enter(), enter(), enter()]
    for (let round = 0; round < 20; round += 1) fill(100)
    pass(9_000)

    for (const leave of slow) leave?.()

    expect(fill(100)).toBe(100)
  })

  it('no new request is admitted in an event loop turn that takes too long, because its requests have waited that long', () => {
    const { enter, pass, endTurn } = start({ responseTime: 500 })

    enter()
    pass(251)
    const late = [enter('begins'), enter('continues'), enter('finishes')]
    endTurn()

    expect(late).toEqual([undefined, expect.any(Function), expect.any(Function)])
    expect(enter('begins')).toBeInstanceOf(Function)
  })

  it('the concurrency limit is reset after ten seconds without requests', () => {
    const { fill, pass } = start({ max: 100, responseTime: 500 })
    for (let round = 0; round < 20; round += 1) fill(600)

    pass(10_001)

    expect(fill(100)).toBe(100)
  })
})
