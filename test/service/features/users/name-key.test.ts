import { describe, expect, it } from 'vitest'

import { quoteName } from '../../../../src/contract/quote-name.ts'
import { nameKey } from '../../../../src/service/features/users/rules.ts'

describe('the key of a username', () => {
  it.each([
    ['case', 'ALICE', 'alice'],
    ['leading and trailing spaces', ' alice ', 'alice'],
    ['the number of spaces', 'alice  b', 'alice b'],
    ['the kind of space', 'alice\u00a0b', 'alice b'],
    ['accents', 'Zoë', 'zoe'],
    ['the encoding of accents', 'ännä', 'a\u0308nna\u0308'],
    ['an invisible character', 'al\u200bice', 'alice'],
    ['a variation selector', 'alice\ufe0f', 'alice'],
    ['a soft hyphen', 'al\u00adice', 'alice'],
    ['a Hangul filler', 'alice\u3164', 'alice'],
    ['a control character', 'alice\u0085', 'alice'],
    ['width', '\uff21\uff4c\uff49\uff43\uff45', 'alice'],
    ['ligatures', '\ufb01nn', 'finn'],
    ['sharp s', 'Straße', 'STRASSE'],
    ['long s', 'ſue', 'sue'],
    ['the Kelvin sign', '\u212aim', 'kim'],
    ['dotted I', 'İlker', 'ilker'],
    ['dotless i', 'ılker', 'ILKER'],
    ['final sigma', 'ΝΊΚΟΣ', 'νίκος'],
  ])('the key of a username does not depend on %s', (_what, name, otherName) => {
    expect(nameKey(name)).toBe(nameKey(otherName))
  })

  it.each([
    ['alice', 'alicia'],
    ['alice.b', 'alice b'],
    ['alice+work', 'alice'],
    ['alice1', 'alicel'],
    ['محمد', 'محمود'],
    ['山田', '山口'],
  ])('the key of a username differs for different letters: %s and %s', (name, otherName) => {
    expect(nameKey(name)).not.toBe(nameKey(otherName))
  })
})

describe('a quoted name', () => {
  it.each([
    ['alice', '"alice"'],
    ['alice ', '"alice "'],
    ['al\u200bice', '"al\\u{200b}ice"'],
    ['zoe\u0308', '"zoe\\u{308}"'],
    ['a\u00a0b', '"a\\u{a0}b"'],
    ['\u202eecila', '"\\u{202e}ecila"'],
    ['"\n', '"\\"\\n"'],
    ['محمد', '"محمد"'],
  ])('a quoted name reveals invisible characters: %j', (name, quoted) => {
    expect(quoteName(name)).toBe(quoted)
  })
})
