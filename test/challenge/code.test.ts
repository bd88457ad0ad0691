import { describe, expect, it } from 'vitest'

import { readCode } from '../../src/challenge/code.ts'

describe('a code as users type it', () => {
  it.each([
    ['as it is', '123456'],
    ['in groups', ' 123 456 '],
    ['with dashes', '123-456'],
    ['with the dash of a word processor', '123–456'],
    ['pasted with blanks that do not break', '123\u00a0456'],
    ['pasted out of text from right to left', '\u200f123456\u202c'],
    ['in Arabic digits', '١٢٣٤٥٦'],
    ['in Persian digits', '۱۲۳۴۵۶'],
    ['in wide digits', '１２３４５６'],
  ])('a code as users type it is read %s', (_, typed) => {
    expect(readCode(typed)).toBe('123456')
  })

  it.each([
    ['too short', '12345'],
    ['too long', '1234567890'],
    ['no digits', 'abcdef'],
    ['digits of another kind', '१२३४५६'],
    ['mostly blanks', `123456${' '.repeat(100)}`],
    ['a list', ['123456']],
    ['nothing', undefined],
  ])('a code as users type it is rejected when it is %s', (_, typed) => {
    expect(readCode(typed)).toBeUndefined()
  })
})
