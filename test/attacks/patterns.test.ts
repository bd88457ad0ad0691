import { describe, expect, it } from 'vitest'

import { sourcePatterns } from './source-patterns.ts'

/** Long enough to tell the square of it from itself, characters. */
const longest = 4_000
/** A pattern that doubles its work with each character is found at the first, one that squares it at the last. */
const lengths = [24, longest]
/** What linear work takes a hundredth of, and the square of it three times of, milliseconds. */
const patience = 4

/** What they read an operator wrote, or we did: nobody who attacks. */
const ownWords = [
  'src/client/options.ts',
  'src/device/base32.ts',
  'src/device/service-url.ts',
  'src/express/options.ts',
  'src/express/pages/link.ts',
]

const patterns = sourcePatterns()

/** What could be repeated: each kind of character a pattern may know, alone and in pairs. */
const alphabet = ['a', 'Z', '0', ' ', '\t', '\n', '/', '"', '\\', ',', ';', '=', '.', '-', '_', ':', '<', '@', '%', 'é']
const pumps = [...alphabet, '\u00a0', 'a0', '0.', ', ', '; ', 'a=']
/** After which nothing can match any more. */
const suffixes = ['\u0000', '\n!']

/** What a match has to begin with, so that the repetition in the middle is reached. */
function beginnings({ source }: RegExp): string[] {
  const words = (source.match(/[A-Za-z]{2,}/g) ?? []).slice(0, 3)
  const plain = source
    .replaceAll(/\\[sdwbSDWB]|\(\?[:=!<]+|[\^$]/g, '')
    .replaceAll(/\\(.)/g, '$1')
    .split(/[[({+*?|]/)[0]
  return [...new Set(['', plain ?? '', ...words, ...words.map((word) => `${word}/`), '/'])]
}

function isSlow(pattern: RegExp, text: string): boolean {
  const start = performance.now()
  pattern.lastIndex = 0
  pattern.test(text)
  return performance.now() - start > patience
}

/** The machine has other things to do at times. */
const isSlowAlways = (pattern: RegExp, text: string) => [1, 2, 3, 4].every(() => isSlow(pattern, text))

/** The first text that takes too long; shorter ones come first, as no one waits for the longer after that. */
function slowText(pattern: RegExp): string | undefined {
  for (const length of lengths) {
    for (const pump of pumps) {
      for (const beginning of beginnings(pattern)) {
        for (const suffix of suffixes) {
          const text = beginning + pump.repeat(Math.ceil(length / pump.length)) + suffix
          if (isSlowAlways(pattern, text)) return `${beginning}(${JSON.stringify(pump)} × ${length})${suffix}`
        }
      }
    }
  }
  return undefined
}

describe('the regular expressions in the source', () => {
  it('are all found', () => {
    expect(patterns.length).toBeGreaterThan(80)
  })

  const foreign = patterns.filter(({ name }) => !ownWords.includes(name.split(' ')[0] ?? ''))

  it.each(foreign)('$name runs in linear time', { timeout: 60_000 }, ({ pattern }) => {
    expect(slowText(pattern)).toBeUndefined()
  })

  it.each([/^(a+)+$/, /^(\w|\d)*!$/, /(a*)*b/, /^\s*[^;]*x$/, /^a*a*y/])(
    'would be detected if they were like %s',
    { timeout: 60_000 },
    (pattern) => {
      expect(slowText(pattern)).toBeDefined()
    },
  )
})
