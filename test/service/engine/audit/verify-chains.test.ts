import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { chainStart, hashEntry } from '../../../../src/service/engine/audit/entry.ts'
import type { AuditEntry, AuditEvent } from '../../../../src/service/engine/audit/entry.ts'
import { verifyChains } from '../../../../src/service/engine/audit/verify-chains.ts'

/** Entries chained as a writer does. */
function chain(writer: string, events: readonly Partial<AuditEvent>[]): AuditEntry[] {
  let previous = chainStart
  return events.map((fields, index) => {
    const entry = {
      writer,
      sequence: index + 1,
      at: 1000 + index,
      event: 'session.approved',
      actor: { kind: 'device', id: 'd1' },
      organizationId: 'o1',
      address: '192.0.2.1',
      facts: {},
      ...fields,
    } as const
    previous = hashEntry(previous, entry)
    return { ...entry, hash: previous }
  })
}

async function* each<T>(values: readonly T[]): AsyncIterable<T> {
  yield* values
}

const five = chain('w1', [{}, { facts: { b: 2, a: 1 } }, { event: 'user.deleted' }, {}, {}])

describe('the audit trail', () => {
  it('the audit trail verifies when unchanged, and reports its heads', async () => {
    const { entries, findings, heads } = await verifyChains(each([...five, ...chain('w2', [{}])]))

    expect([entries, findings]).toEqual([6, []])
    expect(heads).toEqual([
      { writer: 'w1', sequence: 5, hash: five[4]!.hash },
      { writer: 'w2', sequence: 1, hash: expect.any(String) },
    ])
  })

  it.each([
    ['event', { event: 'session.denied' }],
    ['time', { at: 5 }],
    ['actor', { actor: { kind: 'device', id: 'd2' } }],
    ['kind of actor', { actor: { kind: 'cli', id: 'd1' } }],
    ['organization', { organizationId: null }],
    ['address', { address: null }],
    ['facts', { facts: { a: 1 } }],
    ['hash', { hash: chainStart }],
  ] as const)('the audit trail reveals an entry whose %s was changed', async (_, change) => {
    const changed = five.map((entry, i) => (i === 1 ? { ...entry, ...change } : entry)) as AuditEntry[]

    const { findings } = await verifyChains(each(changed))

    expect(findings).toContainEqual({ kind: 'changed', writer: 'w1', sequence: 2 })
  })

  it.each([1, 2, 3, 4])('the audit trail reveals that entry %i is missing', async (sequence) => {
    const { findings } = await verifyChains(each(five.filter((entry) => entry.sequence !== sequence)))

    expect(findings).toEqual([{ kind: 'missing', writer: 'w1', sequence }])
  })

  it('the audit trail reveals a truncated chain and a missing one when compared with a saved head', async () => {
    const savedHeads = [
      { writer: 'w1', sequence: 5, hash: five[4]!.hash },
      { writer: 'w9', sequence: 2, hash: 'x' },
    ]

    const { findings } = await verifyChains(each(five.slice(0, 3)), { savedHeads })

    expect(findings).toEqual([
      { kind: 'cut_off', writer: 'w1', sequence: 4 },
      { kind: 'cut_off', writer: 'w9', sequence: 1 },
    ])
  })

  it('the audit trail reveals a consistently rewritten chain when compared with a saved head', async () => {
    const savedHeads = [{ writer: 'w1', sequence: 3, hash: five[2]!.hash }]
    const forged = chain('w1', [{}, { event: 'user.created' }, { event: 'user.deleted' }, {}, {}])

    expect((await verifyChains(each(forged))).findings).toEqual([])
    expect((await verifyChains(each(forged), { savedHeads })).findings).toEqual([
      { kind: 'changed', writer: 'w1', sequence: 3 },
    ])
  })

  it('the audit trail verifies from the point to which it was deliberately shortened', async () => {
    const starts = [{ writer: 'w1', sequence: 2, hash: five[1]!.hash }]

    expect((await verifyChains(each(five.slice(2)), { starts })).findings).toEqual([])
    expect((await verifyChains(each(five.slice(3)), { starts })).findings).toHaveLength(1)
  })

  it('the audit trail serializes an entry the same way, whatever the order of its facts', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean())), (facts) => {
        const [entry] = chain('w', [{ facts }])
        const reversed = Object.fromEntries(Object.entries(facts).toReversed())
        expect(hashEntry(chainStart, { ...entry!, facts: reversed })).toBe(entry!.hash)
      }),
    )
  })
})
