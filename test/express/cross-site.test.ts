import type { IncomingMessage } from 'node:http'

import { describe, expect, it } from 'vitest'

import { isTrustedPost } from '../../src/express/request/form.ts'

const token = 'the-token-of-the-page'

function own(headers: Record<string, string>, given: { token?: unknown; publicUrl?: string } = {}): boolean {
  const req = { headers: { host: 'app.example', ...headers } } as unknown as IncomingMessage
  return isTrustedPost(req, { token: given.token, expected: token, publicUrl: given.publicUrl })
}

describe('a POST', () => {
  it.each(['cross-site', 'same-site', 'none', 'something-new'])(
    'a POST that the browser calls %s is refused, whatever else it brings',
    (site) => {
      expect(own({ 'sec-fetch-site': site, origin: 'https://app.example' }, { token })).toBe(false)
    },
  )

  it('a POST is trusted when the browser calls it same-origin', () => {
    expect(own({ 'sec-fetch-site': 'same-origin' })).toBe(true)
  })

  it.each(['https://evil.example', 'https://app.example.evil.example', 'null', '', 'https://app.example:8443'])(
    'a POST from an older browser on %j is refused, whatever token it brings',
    (origin) => {
      expect(own({ origin }, { token })).toBe(false)
    },
  )

  it('a POST from an older browser on our own origin is trusted', () => {
    expect(own({ origin: 'https://app.example' })).toBe(true)
    expect(own({ origin: 'https://app.example', host: '127.0.0.1:3000' }, { publicUrl: 'https://app.example' })).toBe(
      true,
    )
  })

  it('a POST is rejected if its origin has another scheme than the configured address', () => {
    expect(own({ origin: 'http://app.example' }, { publicUrl: 'https://app.example' })).toBe(false)
  })

  it.each([undefined, '', 'guess', ['the-token-of-the-page'], { length: 21 }])(
    'a POST without headers is rejected with the token %j',
    (given) => {
      expect(own({}, { token: given })).toBe(false)
    },
  )

  it('a POST without headers is trusted when it has the token of the page', () => {
    expect(own({}, { token })).toBe(true)
  })
})
