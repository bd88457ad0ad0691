import { isIP } from 'node:net'

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { clientAddress } from '../../src/express/request/client-facts.ts'

/** Express 4 and 5 give `req.ip` whatever a trusted proxy wrote. */
const from = (ip: string) => ({ ip, socket: { remoteAddress: '10.0.0.1' } }) as never

describe('the address of a browser', () => {
  it('is a valid address or undefined, whatever trusted proxies send', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constant('unknown')), (said) => {
        const address = clientAddress(from(said))
        expect(address === undefined || isIP(address) > 0).toBe(true)
      }),
    )
  })

  it('loses the port that a proxy added, and is undefined if a proxy did not know it', () => {
    expect(['198.51.100.7:443', '[2001:db8::7]:443', 'unknown'].map((said) => clientAddress(from(said)))).toEqual([
      '198.51.100.7',
      '2001:db8::7',
      undefined,
    ])
  })
})
