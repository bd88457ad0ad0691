import { describe, expect, it } from 'vitest'

import { closedRows, countSessions, ways } from '../support/relay/rows.ts'
import { createVictim } from '../support/relay/victim.ts'

const victim = await createVictim()

describe('a relay on another origin, over TLS, between a real browser and the app', () => {
  it.each(closedRows)('gets no web session in 200 visits with %s', async (_row, options) => {
    expect(await countSessions(victim, { options, ways, count: 200 })).toBe(0)
  })
})
