import { describe, expect, it } from 'vitest'

import { escapedText, mixesAlphabets } from '../../src/ground/visible-text.ts'

describe('text from others', () => {
  it.each([
    ['a change of direction', 'pay \u202e52', 'pay <U+202E>52'],
    ['an isolate', 'a\u2066b\u2069', 'a<U+2066>b<U+2069>'],
    ['a character without width', 'pay\u200bpal', 'pay<U+200B>pal'],
    ['a soft hyphen', 'a\u00adb', 'a<U+00AD>b'],
    ['a filler that fonts leave out', 'a\u3164b', 'a<U+3164>b'],
    ['an empty pattern of Braille', 'a\u2800b', 'a<U+2800>b'],
    ['a tag character', 'a\u{e0041}b', 'a<U+E0041>b'],
    ['a wide space', 'a\u3000b', 'a<U+3000>b'],
    ['a selector without its emoji', 'a\ufe0fb', 'a<U+FE0F>b'],
    ['a mark on top of four others', `a${'\u0301'.repeat(5)}b`, `a${'\u0301'.repeat(4)}<U+0301>b`],
    ['a mark without a letter', '\u0338b', '<U+0338>b'],
  ])('text from others shows %s by its number', (_what, text, shown) => {
    expect(escapedText(text)).toBe(shown)
  })

  it.each(['Überweisung 250,00 €', 'العَرَبِيَّة', '日本語', '❤\ufe0f', 'Việt', 'हिन्दी', 'שָׁלוֹם'])(
    'text from others is shown as it is where it can be read: %s',
    (text) => {
      expect(escapedText(text)).toBe(text)
    },
  )

  it('the spaces of amounts are shown as ordinary spaces', () => {
    expect(escapedText('1\u202f250,00\u00a0€')).toBe('1 250,00 €')
  })

  it.each([
    ['paypal', false],
    ['p\u0430ypal', true],
    ['\u0391lpha', true],
    ['Москва und Berlin', false],
    ['Ελλάδα', false],
    ['\u0555scar', true],
    ['\ua4d0bc', true],
    ['€2\u09ea0.00', true],
    ['١٢٣', false],
  ])('a word with letters of several alphabets is found: %s', (text, isMixed) => {
    expect(mixesAlphabets(text)).toBe(isMixed)
  })
})
