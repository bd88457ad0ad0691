import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { createServerWatch } from '../../../../src/service/engine/database/postgres-identity.ts'
import type { IdentifiedClient, ServerWatch } from '../../../../src/service/engine/database/postgres-identity.ts'

const process = 7

interface Server {
  readonly place?: string
  readonly is_standby?: boolean
  readonly timeline?: string | null
}

/** A connection to a server. @param opened The process that it was opened to. */
function connectionTo(server: Server, opened = process): IdentifiedClient {
  const row = { place: '1/5', is_standby: false, timeline: '00000001', ...server, backend: process }
  return { processID: opened, query: () => Promise.resolve({ rows: [row] }) } as unknown as IdentifiedClient
}

const standby = { is_standby: true, timeline: null }

describe('what a node asks its connections', () => {
  let watch: ServerWatch
  const changed = vi.fn<() => void>()

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
    changed.mockReset()
    watch = createServerWatch(changed)
  })
  afterEach(() => void vi.useRealTimers())

  it('a connection to a server is asked once, and one that a pooler lends once a second', async () => {
    const [direct, lent] = [connectionTo({}), connectionTo({}, process + 1)]
    const due = () => [watch.isDue(direct), watch.isDue(lent)]
    const before = due()
    await watch.compare(direct)
    await watch.compare(lent)
    const after = due()

    vi.advanceTimersByTime(1_001)

    expect([before, after, due()]).toEqual([
      [true, true],
      [false, false],
      [false, true],
    ])
  })

  it('a standby is refused while a connection to its primary is open, and used once that is closed', async () => {
    const primary = connectionTo({})
    await watch.compare(primary, () => {})

    await expect(watch.compare(connectionTo(standby), () => {})).rejects.toThrow('leads to a standby')
    watch.forget(primary)
    await watch.compare(connectionTo(standby), () => {})

    expect(watch.problem()).toBeUndefined()
  })

  it('a promotion closes each connection that was opened before it', async () => {
    const close = vi.fn<() => void>()
    await watch.compare(connectionTo({}), close)
    await watch.compare(connectionTo({}), close)

    await watch.compare(connectionTo({ timeline: '0000000A' }), () => {})

    expect(close).toHaveBeenCalledTimes(2)
    expect(changed).toHaveBeenCalledOnce()
    await expect(watch.compare(connectionTo({ timeline: '00000009' }))).rejects.toThrow(
      'timeline is 9, and 10 was seen',
    )
  })

  it('the first connection after one that broke is reported, although it leads to the same server', async () => {
    await watch.compare(connectionTo({}))
    await watch.compare(connectionTo({}))
    watch.interrupted()
    const before = changed.mock.calls.length

    await watch.compare(connectionTo({}))
    await watch.compare(connectionTo({}))

    expect([before, changed.mock.calls.length]).toEqual([0, 1])
  })

  it('a database that does not know the question is used, and not asked again', async () => {
    const query = vi
      .fn<() => Promise<never>>()
      .mockRejectedValue(Object.assign(new Error('no function'), { code: '42883' }))
    const client = { processID: 1, query } as unknown as IdentifiedClient

    await watch.compare(client)
    await watch.compare({ ...client })

    expect(query).toHaveBeenCalledOnce()
    expect(watch.isDue(client)).toBe(false)
  })
})
