import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { requestedPath, safeReturnTo } from '../../src/express/request/return-to.ts'
import { anyText } from '../support/any-text.ts'

/** Pieces that have led browsers astray, and what may separate them. */
const pieces = ['/', '//', '\\', '.', '..', '%2e', '%2f', '%5c', '@', ':', '?', '#', '\t', '\n', '\r', ' ', '\u0000']
const words = [
  'evil.example',
  'https:',
  'http:',
  'javascript:',
  'mfa',
  'account',
  '127.0.0.1',
  '[::1]',
  '%00',
  'é',
  '。',
]
const nasty = fc.array(fc.oneof(fc.constantFrom(...pieces, ...words), fc.string({ maxLength: 3 })), { maxLength: 8 })
// `webUrl()` of fast-check prepares tables of all characters first, which takes a second.
const authority = fc.oneof(fc.webAuthority({ withPort: true }), fc.constant('app.example'))
const addresses = fc
  .tuple(fc.constantFrom('http', 'https'), authority, nasty)
  .map(([scheme, host, parts]) => `${scheme}://${host}/${parts.join('')}`)
const paths = fc.oneof(
  nasty.map((parts) => parts.join('')),
  nasty.map((parts) => `/${parts.join('')}`),
  addresses,
  anyText(),
)

const bases = ['https://app.example', 'http://app.example:8080/a/b?c', 'https://app.example/mfa/', 'http://[::1]/x//y']

describe('the return path of a challenge', () => {
  it('the return path of a challenge is on the origin of the app and never the challenge itself', () => {
    fc.assert(
      fc.property(paths, (path) => {
        const safe = safeReturnTo(path, '/mfa')
        if (safe === undefined) return
        expect(safe).not.toMatch(/[\r\n\t]/)
        for (const base of bases) {
          const url = new URL(safe, base)
          expect(url.origin).toBe(new URL(base).origin)
          expect(url.pathname).not.toMatch(/^\/mfa(\/|$)/)
          expect(safeReturnTo(safe, '/mfa')).toBe(safe)
        }
      }),
      { numRuns: 5_000 },
    )
  })

  it('the return path of a challenge is the requested path where that is an ordinary one', () => {
    const segment = fc.stringMatching(/^[a-z0-9-]{1,8}$/).filter((word) => word !== 'mfa')
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 4 }), anyText(), (segments, text) => {
        const path = `/${segments.join('/')}?${new URLSearchParams({ text }).toString()}`
        expect(safeReturnTo(path, '/mfa')?.split('?')[0]).toBe(path.split('?')[0])
      }),
    )
  })

  it('the return path of a POST is a page of this host, whatever the Referer', () => {
    fc.assert(
      fc.property(fc.oneof(paths, addresses), (referer) => {
        const req = { method: 'POST', url: '/x', headers: { host: 'app.example', referer } }
        const safe = requestedPath(req as never, { base: '/mfa', prefix: '', host: undefined })
        if (safe === undefined) return
        expect(new URL(safe, 'https://app.example').origin).toBe('https://app.example')
        expect(URL.parse(referer)?.host).toBe('app.example')
      }),
      { numRuns: 2_000 },
    )
  })
})
