import { describe, expect, it } from 'vitest'

import { shownNameOf } from '../../src/contract/shown-name.ts'

describe('the name of a person on pages and devices', () => {
  it.each([
    [
      { name: 'Anna Berg', username: 'anna@example.com' },
      { name: 'Anna Berg', username: 'anna@example.com' },
    ],
    [
      { name: 'Anna Berg', username: 'aberg' },
      { name: 'Anna Berg', username: 'aberg' },
    ],
    [{ username: 'anna@example.com' }, { name: 'anna@example.com' }],
    [{ name: 'Anna Berg' }, { name: 'Anna Berg' }],
    [{}, undefined],
  ])('pages and devices show a person’s name, with the username where there is more to it: %j', (person, shownName) => {
    expect(shownNameOf(person)).toEqual(shownName)
  })

  it.each([
    'ANNA BERG',
    '4711',
    '0193f5a2-7c7e-7d3a-9f2e-2f6a1b0c9d8e',
    '507f1f77bcf86cd799439011',
    'clh3k2b9w0000qz8r7x5v1m4t',
    'google-oauth2|1093847562',
  ])('pages and devices show no username that repeats the name or is an app’s made-up id: %s', (username) => {
    expect(shownNameOf({ name: 'Anna Berg', username })).toEqual({ name: 'Anna Berg' })
  })

  it('pages and devices show an id made up by an app as the name if nothing else is known', () => {
    expect(shownNameOf({ username: '4711' })).toEqual({ name: '4711' })
  })
})
