import { createCallLimit } from '../../src/client/call-limit.ts'
import { UnreachableError } from '../../src/client/errors.ts'
import { createTestClock } from '../../src/testing/clock.ts'
import { describe, expect, it } from 'vitest'

/** A limit, and calls that end when the test says so. */
function arrange(atOnce = 2) {
  const clock = createTestClock()
  const limit = createCallLimit({ atOnce, clock })
  let started = 0

  function call(given: { held?: boolean; signal?: AbortSignal } = {}) {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const time = new AbortController()
    // Of a call that never started nobody hears.
    promise.catch(() => {})
    time.signal.addEventListener('abort', () => reject(new UnreachableError('timeout', 'no answer')))
    given.signal?.addEventListener('abort', () => reject(given.signal?.reason as Error))
    const run = limit.run(() => (started++, promise), { timeout: time.signal, ...given })
    const outcome = run.catch((error: unknown) => error)
    return { answer: resolve, fail: reject, timeOut: () => time.abort(), outcome }
  }

  async function die(): Promise<void> {
    for (let time = 0; time < 5; time++) {
      const one = call()
      await turn()
      one.timeOut()
      await one.outcome
    }
  }

  return { clock, call, die, started: () => started }
}

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

describe('the limit on calls', () => {
  it('lets so many go at once, and the next one as soon as one is over, in the order they came', async () => {
    const { call, started } = arrange()
    const calls = [call(), call(), call(), call()]
    await turn()
    expect(started()).toBe(2)

    calls[1]?.answer('second')
    await turn()
    expect(started()).toBe(3)
    calls[2]?.answer('third')
    calls[0]?.fail(new Error('no'))
    await turn()
    calls[3]?.answer('fourth')

    expect(await Promise.all(calls.map(({ outcome }) => outcome))).toMatchObject([
      { message: 'no' },
      'second',
      'third',
      'fourth',
    ])
  })

  it('keeps who stands in line no longer than a call may take', async () => {
    const { call, started } = arrange(1)
    const [inside, waiting] = [call(), call()]
    await turn()

    waiting.timeOut()
    expect(await waiting.outcome).toMatchObject({ name: 'UnreachableError', reason: 'no_room' })
    inside.answer('')
    await turn()

    expect(started()).toBe(1)
  })

  it('forgets who has hung up in the line', async () => {
    const { call, started } = arrange(1)
    const gone = new AbortController()
    const [inside, waiting] = [call(), call({ signal: gone.signal })]
    await turn()

    gone.abort(new Error('page left'))
    expect(await waiting.outcome).toMatchObject({ message: 'page left' })
    inside.answer('')
    await turn()

    expect(started()).toBe(1)
  })

  it('gives no room to answers that are held, so that who waits keeps nobody out', async () => {
    const { call, started } = arrange(1)

    for (let wait = 0; wait < 50; wait++) call({ held: true })
    const acting = call()
    await turn()

    expect(started()).toBe(51)
    acting.answer('in')
    expect(await acting.outcome).toBe('in')
  })
})

describe('a service that did not answer five times in a row', () => {
  it('is not asked for five seconds, and everybody is told so at once', async () => {
    const { clock, call, die, started } = arrange()
    await die()

    const refused = call()

    expect(await refused.outcome).toMatchObject({ reason: 'timeout', retryAfter: 5 })
    await clock.advance(3)
    expect(await call().outcome).toMatchObject({ retryAfter: 2 })
    expect(await call({ held: true }).outcome).toMatchObject({ retryAfter: 2 })
    expect(started()).toBe(5)
  })

  it('is then tried by one call alone, and asked by all when that is answered', async () => {
    const { clock, call, die, started } = arrange()
    await die()
    await clock.advance(5)

    const probe = call()
    await turn()
    expect(await call().outcome).toMatchObject({ reason: 'timeout', retryAfter: 1 })
    expect(started()).toBe(6)
    probe.answer('alive')
    await probe.outcome

    const next = call()
    next.answer('again')
    expect(await next.outcome).toBe('again')
  })

  it('is left alone for as long again when that is not answered', async () => {
    const { clock, call, die, started } = arrange()
    await die()
    await clock.advance(5)
    const probe = call()
    await turn()

    probe.timeOut()
    await probe.outcome

    expect(await call().outcome).toMatchObject({ retryAfter: 5 })
    expect(started()).toBe(6)
  })

  it('is tried by the next when who tried has hung up', async () => {
    const { clock, call, die, started } = arrange()
    await die()
    await clock.advance(5)
    const gone = new AbortController()
    const probe = call({ signal: gone.signal })
    await turn()
    gone.abort(new Error('page left'))
    await probe.outcome

    call()
    await turn()

    expect(started()).toBe(7)
  })

  it('is not tried by an answer that is held: nobody waits for that', async () => {
    const { clock, call, die } = arrange()
    await die()
    await clock.advance(5)
    const held = call({ held: true })
    await turn()
    expect(await call({ held: true }).outcome).toMatchObject({ retryAfter: 1 })

    const acting = call()
    acting.answer('in')

    expect(await acting.outcome).toBe('in')
    held.answer('later')
    expect(await held.outcome).toBe('later')
  })

  it('is none that answers everybody else: calls that hang, and end at once, keep nobody out', async () => {
    const { call } = arrange(100)
    const hanging = Array.from({ length: 64 }, () => call())
    await turn()
    const other = call()
    other.answer('in')
    await other.outcome

    for (const one of hanging) one.timeOut()
    await Promise.all(hanging.map(({ outcome }) => outcome))

    const next = call()
    next.answer('in')
    expect(await next.outcome).toBe('in')
  })

  it('does not keep those waiting who stood in line when it died', async () => {
    const { call } = arrange(5)
    const inside = Array.from({ length: 5 }, () => call())
    const line = Array.from({ length: 20 }, () => call())
    await turn()

    for (const one of inside) one.timeOut()

    const outcomes = await Promise.all(line.map(({ outcome }) => outcome))
    expect(outcomes.filter((outcome) => outcome instanceof UnreachableError)).toHaveLength(20)
  })

  it.each<[string, (one: { answer(text: string): void; fail(error: Error): void }) => void]>([
    ['an answer', (one) => one.answer('')],
    ['a refused connection, which takes no time', (one) => one.fail(new UnreachableError('network', 'refused'))],
  ])('is one that also gave no other answer: %s in between counts', async (_, end) => {
    const { call, started } = arrange()
    for (let time = 0; time < 20; time++) {
      const one = call()
      await turn()
      if (time % 5 === 4) end(one)
      else one.timeOut()
      await one.outcome
    }

    expect(started()).toBe(20)
  })
})
