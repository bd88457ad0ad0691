import { describe, expect, it } from 'vitest'

import { localPath } from '../../example-app/local-path.ts'

describe('the path to go to after signing in', () => {
  it.each([
    ['/account', '/account'],
    ['/account?tab=1', '/account?tab=1'],
    ['/a/../b', '/b'],
  ])('the path to go to after signing in may be %j', (value, path) => {
    expect(localPath(value, '/')).toBe(path)
  })

  it.each([
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    'account',
    '',
    undefined,
    ['/account', '/account'],
  ])('the path to go to after signing in is never %j', (value) => {
    expect(localPath(value, '/fallback')).toBe('/fallback')
  })
})
