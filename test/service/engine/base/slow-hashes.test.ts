import { setImmediate as turn } from 'node:timers/promises'

import { describe, expect, it } from 'vitest'

import { createSlowHashes } from '../../../../src/service/engine/base/slow-hashes.ts'
import type { HashInput } from '../../../../src/service/engine/base/slow-hashes.ts'

const input = (text: string): HashInput => ({ text, salt: 'salt', cost: { N: 2, r: 1, p: 1 } })

/** Hashes whose ends the test decides. */
function controlled({ concurrent = 1, maxWaiting = 2 }) {
  const started: string[] = []
  const ends: (() => void)[] = []
  const hashes = createSlowHashes(concurrent, maxWaiting, ({ text }) => {
    started.push(text)
    return new Promise((resolve) => void ends.push(() => resolve(Buffer.from(text))))
  })
  return {
    hashes,
    started,
    endOne: async () => {
      ends.shift()?.()
      await turn()
    },
  }
}

describe('slow hashes', () => {
  it('slow hashes run as many at a time as allowed, in order', async () => {
    const { hashes, started, endOne } = controlled({ concurrent: 2 })

    const results = Promise.all(['a', 'b', 'c', 'd'].map((text) => hashes.hash('pin', input(text))))
    await turn()
    expect(started).toEqual(['a', 'b'])
    await endOne()
    expect(started).toEqual(['a', 'b', 'c'])

    for (let remaining = 3; remaining > 0; remaining -= 1) await endOne()
    expect((await results).join('')).toBe('abcd')
  })

  it('guesses of recovery codes that wait do not hold up the PINs of others', async () => {
    const { hashes, started, endOne } = controlled({})

    for (const text of ['code 1', 'code 2', 'code 3']) void hashes.hash('code', input(text))
    void hashes.hash('pin', input('pin 1'))
    await turn()
    await endOne()

    expect(started).toEqual(['code 1', 'pin 1'])
  })

  it('a full queue has no room for further hashes of its purpose, and says when to retry', async () => {
    const { hashes, endOne } = controlled({ maxWaiting: 2 })

    for (const text of ['a', 'b', 'c']) void hashes.hash('pin', input(text))
    await turn()

    expect(() => hashes.requireRoom('pin')).toThrow('Try again in a moment')
    expect(() => hashes.requireRoom('code')).not.toThrow()
    await endOne()
    expect(() => hashes.requireRoom('pin')).not.toThrow()
  })

  it('a hash that fails makes room for the next one', async () => {
    const hashes = createSlowHashes(1, 1)
    const impossible = { ...input('a'), cost: { N: 3, r: 1, p: 1 } }

    const [failed, next] = await Promise.allSettled([hashes.hash('pin', impossible), hashes.hash('pin', input('b'))])

    expect(failed.status).toBe('rejected')
    expect(next).toMatchObject({ status: 'fulfilled', value: expect.objectContaining({ length: 32 }) })
  })
})
