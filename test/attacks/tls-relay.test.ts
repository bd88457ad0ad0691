import { describe, expect, it } from 'vitest'

import { closedRows, countSessions, ways } from '../support/relay/rows.ts'
import { createVictim } from '../support/relay/victim.ts'

const victim = await createVictim()

/**
 * What differs between these rows. The three ways of a number differ on the device only, which is not asked, and at a relay the
 * browser refuses the passkey whatever the app asks for. `relays.long.ts` tries each way 40 times.
 */
const distinct = ['the number, typed', 'a code'] as const

describe('a relay on another origin, over TLS, between a real browser and the app', () => {
  it.each(closedRows)('gets no web session with %s', async (_row, options) => {
    expect(await countSessions(victim, { options, ways: distinct, count: distinct.length })).toBe(0)
  })

  it("gets in with unknownBrowser: 'number' by each way but a passkey, if the person ignores the warning", async () => {
    const { visit } = await victim.at({ unknownBrowser: 'number' })
    const visits: Record<string, Awaited<ReturnType<typeof visit>>> = {}

    for (const way of ways) visits[way] = await visit(way)

    expect(visits).toEqual({
      'the number, typed': { isIn: true, warned: true },
      'the number, scanned': { isIn: true, warned: true },
      'the link on the phone': { isIn: true, warned: true },
      'a code': { isIn: true },
      'the passkey': { isIn: false },
    })
  })

  it('looks like a new browser, while the browser of the person does not', async () => {
    const { visit, signIn } = await victim.at()
    const { warned } = await visit('the number, typed')

    expect([warned, await signIn()]).toEqual([true, false])
  })
})
