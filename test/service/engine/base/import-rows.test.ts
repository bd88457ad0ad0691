import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { describe, expect, it, onTestFinished } from 'vitest'

import { importHardwareTokens } from '../../../../src/service/features/hardware/import.ts'
import { importRows, rowsPerStep } from '../../../../src/service/engine/base/import-rows.ts'
import type { Rejected } from '../../../../src/service/engine/base/import-rows.ts'
import { stepBytes, textOf } from '../../../../src/service/features/hardware/files/file-text.ts'
import { readTokens } from '../../../../src/service/features/hardware/files/read-tokens.ts'
import { ServiceOptions } from '../../../../src/service/options.ts'
import { openService } from '../../../../src/service/service.ts'
import { keysFor, startService } from '../../start-service.ts'

/** Counts the turns of the event loop. @returns the current one. */
function countTurns(): () => number {
  let [turn, ended] = [0, false]
  const count = () => {
    turn += 1
    if (!ended) setImmediate(count)
  }
  count()
  onTestFinished(() => void (ended = true))
  return () => turn
}

/** The most work that was done in one turn. */
function workPerTurn() {
  const turn = countTurns()
  const work = new Map<number, number>()
  return {
    add: (amount: number) => void work.set(turn(), (work.get(turn()) ?? 0) + amount),
    most: () => Math.max(...work.values()),
    turns: () => work.size,
  }
}

const file = (text: string) => [Buffer.from(text)]

const refuse = (rows: readonly { readonly line: number }[]) =>
  Promise.resolve({
    accepted: [],
    rejected: rows.map(({ line }): Rejected => ({ line, code: 'row', reason: 'wrong' })),
  })

describe('an import of rows', () => {
  it('an import decodes at most 8 KiB of a file in a turn of the event loop', async () => {
    const work = workPerTurn()

    for await (const text of textOf(file('a'.repeat(10 * stepBytes)), '')) work.add(text.length)

    expect([work.most() <= stepBytes, work.turns()]).toEqual([true, expect.any(Number)])
    expect(work.turns()).toBeGreaterThanOrEqual(10)
  })

  it('an import checks at most 100 rows in a turn of the event loop', async () => {
    const work = workPerTurn()
    const check: typeof refuse = (rows) => {
      work.add(rows.length)
      return refuse(rows)
    }
    const rows = readTokens(file(`serial,seed\n${'a\n'.repeat(20_000)}`))

    await importRows({ rows, check, importAll: () => Promise.resolve() }, {})

    expect(work.most()).toBeLessThanOrEqual(rowsPerStep)
  })

  it('an import stores at most 100 rows in a turn of the event loop', async () => {
    const database = ':memory:'
    const service = await startService({ database })
    onTestFinished(() => service.close())
    const node = await openService(ServiceOptions.parse({ database, push: false, ...keysFor(database) }))
    onTestFinished(() => node.close())
    const organizationId = '0'.repeat(40)
    await node.ctx.store.db.insertInto('organization').values({ id: organizationId, name: 'x', createdAt: 1 }).execute()
    const rows = Array.from({ length: 450 }, (_, each) => `${each},${randomBytes(20).toString('hex')}\n`).join('')
    const work = workPerTurn()
    let stored = 0
    const progress = (done: number) => {
      work.add(done - stored)
      stored = done
    }

    await importHardwareTokens(node.ctx, organizationId, readTokens(file(`serial,seed\n${rows}`)), {
      progress,
    })

    expect(stored).toBe(450)
    expect(work.most()).toBeLessThanOrEqual(rowsPerStep)
  })

  it('an import lists the first 100 rejected rows and counts the others', async () => {
    const rows = readTokens(file(`serial,seed\n${'a\n'.repeat(5_000)}`))

    const report = await importRows({ rows, check: refuse, importAll: () => Promise.resolve() }, {})

    expect(report).toMatchObject({ acceptable: 0, rejectedRows: 5_000, presentRows: 0 })
    expect(report.rejected.map(({ line }) => line)).toEqual(Array.from({ length: 100 }, (_, index) => index + 2))
  })

  it('an import lists rows that are there already only where other rejected rows leave room', async () => {
    const lines = [Array.from({ length: 150 }, (_, index) => ({ line: index + 1 }))]
    const check = (rows: readonly { readonly line: number }[]) =>
      Promise.resolve({
        accepted: [],
        rejected: rows.map(({ line }): Rejected => ({ line, code: line > 140 ? 'seed' : 'present', reason: '' })),
      })

    const report = await importRows({ rows: lines, check, importAll: () => Promise.resolve() }, {})

    expect(report).toMatchObject({ rejectedRows: 150, presentRows: 140 })
    expect(report.rejected.filter(({ code }) => code === 'seed')).toHaveLength(10)
    expect(report.rejected).toHaveLength(100)
  })

  it('an import ends between two steps when no one waits for its result', async () => {
    let [steps, waiting] = [0, true]
    const check: typeof refuse = (rows) => {
      steps += 1
      waiting = false
      return refuse(rows)
    }
    const requireWaiting = () => {
      if (!waiting) throw new Error('gone')
    }
    const rows = readTokens(file(`serial,seed\n${'a\n'.repeat(5_000)}`))

    await expect(importRows({ rows, check, importAll: () => Promise.resolve() }, { requireWaiting })).rejects.toThrow(
      'gone',
    )
    await nextTurn()
    expect(steps).toBe(1)
  })

  it('an import refuses a file whose quote is not closed, instead of keeping the rest of it', async () => {
    const rows = readTokens(file(`serial,seed\n"${'a,b\n'.repeat(10_000)}`))

    await expect(importRows({ rows, check: refuse, importAll: () => Promise.resolve() }, {})).rejects.toThrow(
      'The row at line 2 is longer than 16,384 characters. Check its quotes.',
    )
  })
})
