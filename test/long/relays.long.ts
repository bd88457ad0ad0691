import { describe, expect, it } from 'vitest'

import { closedRows, countSessions } from '../support/relay/rows.ts'

describe('a relay on another origin, over TLS, between a real browser and the app', () => {
  it.each(closedRows)('gets no web session in 200 visits with %s', async (_row, options) => {
    expect(await countSessions(options, 200)).toBe(0)
  })
})
