import { describe, expect, it } from 'vitest'

import { closedRows, countSessions, ways } from '../support/relay/rows.ts'
import { createVictim } from '../support/relay/victim.ts'

const victim = await createVictim()

describe('a relay on another origin, over TLS, between a real browser and the app', () => {
  it.each(closedRows)('a relay on another origin gets no web session in 200 visits with %s', async (_row, options) => {
    expect(await countSessions(victim, { options, ways, count: 200 })).toBe(0)
  })

  it('with unknownBrowser set to number, a relay gets in by each way but a passkey if the warning is ignored', async () => {
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
})
