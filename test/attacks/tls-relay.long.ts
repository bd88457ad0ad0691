import { describe, expect, it } from 'vitest'

import { closedRows, countSessions } from '../support/relay/rows.ts'
import { createVictim } from '../support/relay/victim.ts'

const victim = await createVictim()

/**
 * What differs between these rows. The three ways of a number differ on the device only, which is not asked, and at a relay the
 * browser refuses the passkey whatever the app asks for. `relays.long.ts` tries each way.
 */
const distinct = ['the number, typed', 'a code'] as const

describe('a relay on another origin, over TLS, between a real browser and the app', () => {
  it.each(closedRows)('a relay over TLS gets no web session with %s', async (_row, options) => {
    expect(await countSessions(victim, { options, ways: distinct, count: distinct.length })).toBe(0)
  })

  it('a relay over TLS gets in by number and by code where unknownBrowser is number, if the person ignores the warning', async () => {
    const { visit } = await victim.at({ unknownBrowser: 'number' })

    const visits = [await visit('the number, typed'), await visit('a code'), await visit('the passkey')]

    expect(visits).toEqual([{ isIn: true, warned: true }, { isIn: true }, { isIn: false }])
  })

  it('a relay over TLS looks like a new browser, while the person’s own browser does not', async () => {
    const { visit, signIn } = await victim.at()
    const { warned } = await visit('the number, typed')

    expect([warned, await signIn()]).toEqual([true, false])
  })
})
