import type { IncomingMessage } from 'node:http'

import { describe, expect, it } from 'vitest'

import { isTrustedPost } from '../../src/express/request/form.ts'

const token = 'the-token-of-the-page'

function isTrusted(headers: Record<string, string>, options: { token?: unknown; publicUrl?: string } = {}): boolean {
  const req = { headers: { host: 'app.example', ...headers } } as unknown as IncomingMessage
  return isTrustedPost(req, { token: options.token, expected: token, publicUrl: options.publicUrl })
}

describe('a POST', () => {
  it.each(['cross-site', 'same-site', 'none', 'something-new'])(
    'a POST that the browser calls %s is refused, whatever else it brings',
    (site) => {
      expect(isTrusted({ 'sec-fetch-site': site, origin: 'https://app.example' }, { token })).toBe(false)
    },
  )

  it('a POST is trusted when the browser calls it same-origin', () => {
    expect(isTrusted({ 'sec-fetch-site': 'same-origin' })).toBe(true)
  })

  it.each(['https://evil.example', 'https://app.example.evil.example', 'null', '', 'https://app.example:8443'])(
    'a POST from an older browser on %j is refused, whatever token it brings',
    (origin) => {
      expect(isTrusted({ origin }, { token })).toBe(false)
    },
  )

  it('a POST from an older browser on our own origin is trusted', () => {
    expect(isTrusted({ origin: 'https://app.example' })).toBe(true)
    expect(
      isTrusted({ origin: 'https://app.example', host: '127.0.0.1:3000' }, { publicUrl: 'https://app.example' }),
    ).toBe(true)
  })

  it('a POST is rejected if its origin has another scheme than the configured address', () => {
    expect(isTrusted({ origin: 'http://app.example' }, { publicUrl: 'https://app.example' })).toBe(false)
  })

  it.each([undefined, '', 'guess', ['the-token-of-the-page'], { length: 21 }])(
    'a POST without headers is rejected with the token %j',
    (wrongToken) => {
      expect(isTrusted({}, { token: wrongToken })).toBe(false)
    },
  )

  it('a POST without headers is trusted when it has the token of the page', () => {
    expect(isTrusted({}, { token })).toBe(true)
  })
})
