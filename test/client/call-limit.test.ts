import { createCallLimit } from '../../src/client/call-limit.ts'
import { UnreachableError } from '../../src/client/errors.ts'
import { createTestClock } from '../../src/testing/clock.ts'
import { describe, expect, it } from 'vitest'

/** A limit, and calls that the test ends. */
function arrange(maxConcurrency = 2) {
  const clock = createTestClock()
  const limit = createCallLimit({ maxConcurrency, clock })
  let started = 0

  function call(options: { held?: boolean; signal?: AbortSignal } = {}) {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const time = new AbortController()
    // A call that never started rejects without a listener.
    promise.catch(() => {})
    time.signal.addEventListener('abort', () => reject(new UnreachableError('timeout', 'no answer')))
    options.signal?.addEventListener('abort', () => reject(options.signal?.reason as Error))
    const run = limit.run(() => (started++, promise), { startTimeout: () => time.signal, ...options })
    const outcome = run.catch((error: unknown) => error)
    return { answer: resolve, fail: reject, timeOut: () => time.abort(), outcome }
  }

  async function goDown(): Promise<void> {
    for (let time = 0; time < 5; time++) {
      const failing = call()
      await turn()
      failing.timeOut()
      await failing.outcome
    }
  }

  return { clock, call, goDown, started: () => started }
}

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

describe('the call limit', () => {
  it('the call limit runs up to maxConcurrency calls, and starts the next in order as soon as one ends', async () => {
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

  it('the call limit rejects a queued call when its timeout is over', async () => {
    const { call, started } = arrange(1)
    const [inside, waiting] = [call(), call()]
    await turn()

    waiting.timeOut()
    expect(await waiting.outcome).toMatchObject({ name: 'UnreachableError', reason: 'no_room' })
    inside.answer('')
    await turn()

    expect(started()).toBe(1)
  })

  it('the call limit removes a canceled call from the queue', async () => {
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

  it('the call limit gives no slot to held calls, so that people who wait do not block those who act', async () => {
    const { call, started } = arrange(1)

    for (let wait = 0; wait < 50; wait++) call({ held: true })
    const acting = call()
    await turn()

    expect(started()).toBe(51)
    acting.answer('in')
    expect(await acting.outcome).toBe('in')
  })
})

/** Calls that hang until the test answers them. Each has its own timers: the first one runs while it queues. */
function arrangeQueue() {
  const clock = createTestClock()
  const limit = createCallLimit({ maxConcurrency: 1, clock })
  return function call() {
    const timers: AbortController[] = []
    const { promise, resolve } = Promise.withResolvers<string>()
    const startTimeout = () => {
      const timer = new AbortController()
      timers.push(timer)
      return timer.signal
    }
    const send = (timeout: AbortSignal) => {
      const late = new Promise<never>((_resolve, reject) => {
        timeout.addEventListener('abort', () => reject(new UnreachableError('timeout', 'no answer')))
      })
      return Promise.race([promise, late])
    }
    const outcome = limit.run(send, { startTimeout }).catch((error: unknown) => error)
    return { answer: resolve, outcome, endTimer: (index: number) => timers[index]?.abort(), timers }
  }
}

describe('the timeout of a call', () => {
  it('the timeout of a call starts when the call is sent, and excludes its time in the queue', async () => {
    const call = arrangeQueue()
    const [first, second] = [call(), call()]
    await turn()
    expect(second.timers).toHaveLength(1)

    first.answer('first')
    await turn()
    second.endTimer(0)
    await turn()
    second.answer('second')

    expect(await second.outcome).toBe('second')
    expect(second.timers).toHaveLength(2)
  })

  it('the timeout of a call does not count against the service when it ends in the queue', async () => {
    const call = arrangeQueue()
    const first = call()
    await turn()
    for (let time = 0; time < 10; time++) {
      const waiting = call()
      await turn()
      waiting.endTimer(0)
      expect(await waiting.outcome).toMatchObject({ reason: 'no_room' })
    }

    const last = call()
    first.answer('first')
    last.answer('last')

    expect(await last.outcome).toBe('last')
  })
})

describe('one caller', () => {
  /** Calls on behalf of named callers, which hang until the test ends them. */
  function arrangeCallers(maxConcurrency: number) {
    let current: string | undefined
    const limit = createCallLimit({ maxConcurrency, clock: createTestClock(), currentCaller: () => current })
    const sentCallers: string[] = []
    const ends: (() => void)[] = []
    const startTimeout = () => new AbortController().signal
    function callAs(name: string) {
      current = name
      const send = () => {
        sentCallers.push(name)
        return new Promise<void>((resolve) => void ends.push(resolve))
      }
      return limit.run(send, { startTimeout }).catch((error: unknown) => error)
    }
    return { callAs, sentCallers, endFirst: () => ends.shift()?.() }
  }

  it('one caller gets at most a quarter of the slots, so that others find one free', async () => {
    const { callAs, sentCallers } = arrangeCallers(16)
    for (let count = 0; count < 50; count++) void callAs('mallory')
    void callAs('alice')
    await turn()

    expect(sentCallers).toEqual(['mallory', 'mallory', 'mallory', 'mallory', 'alice'])
  })

  it('one caller takes turns with other callers', async () => {
    const { callAs, sentCallers, endFirst } = arrangeCallers(1)
    for (let count = 0; count < 50; count++) void callAs('mallory')
    void callAs('alice')
    void callAs('bob')
    for (let count = 0; count < 4; count++) {
      await turn()
      endFirst()
    }
    await turn()

    expect(sentCallers.slice(0, 4).sort()).toEqual(['alice', 'bob', 'mallory', 'mallory'])
  })

  it('a caller with 64 queued calls is rejected at once, and other callers are not', async () => {
    const { callAs, endFirst, sentCallers } = arrangeCallers(1)
    const calls = Array.from({ length: 66 }, () => callAs('mallory'))
    const other = callAs('alice')

    expect(await calls[65]).toMatchObject({ reason: 'no_room', message: 'This user has too many calls waiting.' })
    for (let count = 0; count < 3; count++) {
      await turn()
      endFirst()
    }
    await other
    expect(sentCallers).toContain('alice')
  })
})

describe('polls', () => {
  it('polls get an eighth of the slots, and wait for one as long as their caller does', async () => {
    const clock = createTestClock()
    const limit = createCallLimit({ maxConcurrency: 16, clock })
    const ends: (() => void)[] = []
    let timers = 0
    const startTimeout = () => (timers++, new AbortController().signal)
    const send = () => new Promise<void>((resolve) => void ends.push(resolve))
    const gone = new AbortController()
    const poll = () => limit.polls.run(send, { startTimeout, signal: gone.signal })
    const polls = Array.from({ length: 50 }, () => poll().catch((error: unknown) => error))
    await turn()
    expect([ends.length, timers]).toEqual([2, 2])

    const acting = Array.from({ length: 14 }, () => limit.run(send, { startTimeout }))
    await turn()
    expect(ends).toHaveLength(16)

    gone.abort(new Error('page left'))
    for (const end of ends) end()
    await Promise.all(acting)
    expect(await polls[49]).toMatchObject({ message: 'page left' })
  })

  it('polls share their slots with background calls', async () => {
    const limit = createCallLimit({ maxConcurrency: 16, clock: createTestClock() })
    let sentCount = 0
    const startTimeout = () => new AbortController().signal
    for (let count = 0; count < 50; count++) {
      void limit.run(() => new Promise<void>(() => void sentCount++), { startTimeout, background: true })
    }
    await turn()
    expect(sentCount).toBe(2)

    expect(await limit.run(() => Promise.resolve('acted'), { startTimeout })).toBe('acted')
  })

  it('polls are not delayed by slow calls, which have an eighth of the slots, too', async () => {
    const limit = createCallLimit({ maxConcurrency: 16, clock: createTestClock() })
    let slow = 0
    const startTimeout = () => new AbortController().signal
    for (let count = 0; count < 50; count++) {
      void limit.run(() => new Promise<void>(() => void slow++), { startTimeout, slow: true })
    }
    await turn()
    expect(slow).toBe(2)

    const acting = limit.run(() => Promise.resolve('in'), { startTimeout })
    const poll = limit.polls.run(() => Promise.resolve('seen'), { startTimeout })

    expect(await Promise.all([acting, poll])).toEqual(['in', 'seen'])
  })

  it('polls and other calls together never exceed the total number of slots', async () => {
    const limit = createCallLimit({ maxConcurrency: 1, clock: createTestClock() })
    let underWay = 0
    const send = () => new Promise<void>(() => void underWay++)
    const startTimeout = () => new AbortController().signal
    void limit.run(send, { startTimeout })

    void limit.polls.run(send, { startTimeout })
    await turn()

    expect(underWay).toBe(1)
  })
})

describe('the circuit breaker, after five timeouts in a row', () => {
  it('the circuit breaker rejects all calls at once for five seconds after five timeouts in a row', async () => {
    const { clock, call, goDown, started } = arrange()
    await goDown()

    const refused = call()

    expect(await refused.outcome).toMatchObject({ reason: 'timeout', retryAfter: 5 })
    await clock.advance(3)
    expect(await call().outcome).toMatchObject({ retryAfter: 2 })
    expect(await call({ held: true }).outcome).toMatchObject({ retryAfter: 2 })
    expect(started()).toBe(5)
  })

  it('the circuit breaker sends a single probe after its pause, and all calls once it is answered', async () => {
    const { clock, call, goDown, started } = arrange()
    await goDown()
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

  it('the circuit breaker stays open for as long again when the probe times out', async () => {
    const { clock, call, goDown, started } = arrange()
    await goDown()
    await clock.advance(5)
    const probe = call()
    await turn()

    probe.timeOut()
    await probe.outcome

    expect(await call().outcome).toMatchObject({ retryAfter: 5 })
    expect(started()).toBe(6)
  })

  it('the circuit breaker probes with the next call when the probe is canceled', async () => {
    const { clock, call, goDown, started } = arrange()
    await goDown()
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

  it('the circuit breaker does not make other calls wait for a held probe', async () => {
    const { clock, call, goDown } = arrange()
    await goDown()
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

  it('the circuit breaker stays closed while other calls are answered, however many hang', async () => {
    const { call } = arrange(100)
    const hanging = Array.from({ length: 64 }, () => call())
    await turn()
    const other = call()
    other.answer('in')
    await other.outcome

    for (const { timeOut } of hanging) timeOut()
    await Promise.all(hanging.map(({ outcome }) => outcome))

    const next = call()
    next.answer('in')
    expect(await next.outcome).toBe('in')
  })

  it('the circuit breaker rejects the queued calls when the service goes down', async () => {
    const { call } = arrange(5)
    const inside = Array.from({ length: 5 }, () => call())
    const line = Array.from({ length: 20 }, () => call())
    await turn()

    for (const { timeOut } of inside) timeOut()

    const outcomes = await Promise.all(line.map(({ outcome }) => outcome))
    expect(outcomes.filter((outcome) => outcome instanceof UnreachableError)).toHaveLength(20)
  })

  it.each<[string, (call: { answer(text: string): void; fail(error: Error): void }) => void]>([
    ['an answer', (call) => call.answer('')],
    ['a refused connection, which takes no time', (call) => call.fail(new UnreachableError('network', 'refused'))],
  ])('the circuit breaker stays closed when timeouts are interrupted by %s', async (_, end) => {
    const { call, started } = arrange()
    for (let time = 0; time < 20; time++) {
      const current = call()
      await turn()
      if (time % 5 === 4) end(current)
      else current.timeOut()
      await current.outcome
    }

    expect(started()).toBe(20)
  })
})

describe('the circuit breaker, after the clock is set back', () => {
  it('the circuit breaker sends a call again after the same period when the clock is set back', async () => {
    const { clock, call, goDown, started } = arrange()
    const right = { ...clock }
    let wrongBy = 86_400
    Object.assign(clock, { now: () => right.now() + wrongBy })
    await goDown()
    wrongBy = 0
    const early = await call().outcome
    const startedBefore = started()

    await clock.advance(5)
    const later = call()
    await turn()
    later.answer('back')

    expect(early).toMatchObject({ reason: 'timeout', retryAfter: 5 })
    expect(started()).toBe(startedBefore + 1)
    expect(await later.outcome).toBe('back')
  })
})
