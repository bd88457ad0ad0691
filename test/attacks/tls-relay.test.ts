import { describe, expect, it } from 'vitest'

import { closedRows, countSessions } from '../support/relay/rows.ts'
import { startVictim } from '../support/relay/victim.ts'
import type { Way } from '../support/relay/victim.ts'

describe('a relay on another origin, over TLS, between a real browser and the app', () => {
  // Once in each of the five ways. `relays.long.ts` tries them 200 times.
  it.each(closedRows)('gets no web session with %s', async (_row, options) => {
    expect(await countSessions(options, 5)).toBe(0)
  })

  it.each<Way>(['the number, typed', 'the number, scanned', 'the link on the phone'])(
    "gets in with unknownBrowser: 'number' by %s, if the person ignores the warning",
    async (way) => {
      const { visit } = await startVictim({ unknownBrowser: 'number' })

      expect(await visit(way)).toEqual({ isIn: true, warned: true })
    },
  )

  it("gets in with unknownBrowser: 'number' by a code, and by no passkey", async () => {
    const { visit } = await startVictim({ unknownBrowser: 'number' })

    expect([(await visit('a code')).isIn, (await visit('the passkey')).isIn]).toEqual([true, false])
  })

  it('looks like a new browser, while the browser of the person does not', async () => {
    const { visit, signIn } = await startVictim()
    const { warned } = await visit('the number, typed')

    expect([warned, await signIn()]).toEqual([true, false])
  })
})
