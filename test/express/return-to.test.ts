import { describe, expect, it } from 'vitest'

import { safeReturnTo } from '../../src/express/return-to.ts'

describe('where a challenge goes on to', () => {
  it.each([
    '/',
    '/account',
    '/a/b?c=d&e=%2F%2Fevil.example',
    '/a#b',
    '/search?next=https://evil.example/',
    '/mfable',
    '/%2F%2Fevil',
  ])('may be the path %j on this origin', (path) => {
    expect(safeReturnTo(path, '/mfa')).toBe(path)
  })

  it.each([
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '\\/evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/\r\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/ /evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/x/..//evil.example',
    '/%2e//evil.example',
    '/%2e%2e//evil.example',
    'https://evil.example',
    'http:evil.example',
    'https:/evil.example',
    'HTTPS://evil.example',
    '//evil.example@app.example',
    'app.example@evil.example',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'evil.example',
    '@evil.example',
    '?x',
    '#x',
    '',
    '/account\r\nSet-Cookie: a=b',
    '/a\u0000b',
    '/a\u007fb',
    '/a\u2028b',
    `/${'a'.repeat(2048)}`,
  ])('is never %j', (value) => {
    expect(safeReturnTo(value, '/mfa')).toBeUndefined()
  })

  it.each(['/mfa', '/mfa/', '/mfa/complete', '/mfa?x', '/x/../mfa', '/./mfa/send'])(
    'is never the challenge itself: %j',
    (path) => {
      expect(safeReturnTo(path, '/mfa')).toBeUndefined()
    },
  )

  it.each([undefined, null, 7, ['/'], { toString: () => '/' }])('is never anything but text: %j', (value) => {
    expect(safeReturnTo(value, '/mfa')).toBeUndefined()
  })
})
