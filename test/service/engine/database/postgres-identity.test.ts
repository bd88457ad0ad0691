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

  it('a refused connection counts until a new one leads to the right database, whatever an older one says', async () => {
    const older = connectionTo({})
    await watch.compare(older)
    await expect(watch.compare(connectionTo({ place: '2/9' }))).rejects.toThrow('another database')

    await watch.compare(older)
    const afterOlder = watch.problem()
    await watch.compare(connectionTo({}))

    expect(afterOlder).toContain('another database')
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

  it('a database that does not know the question is used, and not asked it again', async () => {
    const query = unanswerable()
    const [first, second] = [{ query }, { query }] as unknown as [IdentifiedClient, IdentifiedClient]

    await watch.compare(first)
    await watch.compare(second)

    expect(query.mock.calls.filter(([asked]) => asked !== 'select 1')).toHaveLength(1)
    expect(watch.isDue(second)).toBe(false)
  })

  it('a database that does not know the question is refused after one that answered it', async () => {
    await watch.compare(connectionTo({}))

    const refused = watch.compare({ query: unanswerable() } as unknown as IdentifiedClient)

    await expect(refused).rejects.toThrow('another kind of database')
    await watch.compare(connectionTo({}))
    expect(watch.problem()).toBeUndefined()
  })

  it('a connection that needs the primary is refused at a standby, and changes nothing about the others', async () => {
    const close = vi.fn<() => void>()
    await watch.compare(connectionTo({}, process + 1), close)

    await expect(watch.comparePrimary(connectionTo(standby), close)).rejects.toThrow('read-only')

    expect(changed).not.toHaveBeenCalled()
    expect(close).not.toHaveBeenCalled()
  })

  it('a connection that a pooler lends is asked again after another one broke', async () => {
    const lent = connectionTo({}, process + 1)
    await watch.compare(lent)

    watch.interrupted()

    expect(watch.isDue(lent)).toBe(true)
  })
})

/** Answers nothing but whether it is there. */
const unanswerable = () =>
  vi
    .fn<(asked: unknown) => Promise<unknown>>()
    .mockImplementation((asked) =>
      asked === 'select 1'
        ? Promise.resolve({ rows: [] })
        : Promise.reject(Object.assign(new Error('no function'), { code: '42883' })),
    )
