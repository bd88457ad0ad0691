import { describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { sourcePatterns } from './source-patterns.ts'

/**
 * Characters. The short lengths detect patterns of exponential time, which would never end with the last one. Each of them takes
 * 16 times as long as the one before, so none takes seconds on any machine. The last one detects quadratic time.
 */
const lengths = [20, 24, 28, 8_000]
/** Milliseconds: linear time takes a fiftieth of this, and quadratic time at least five times as much. */
const maxDuration = 4

/** Files whose patterns read only text of the operator or of this package, never of an attacker. */
const ownWords = [
  'src/client/options.ts',
  'src/contract/activation-link.ts',
  'src/ground/base32.ts',
  'src/device/service-url.ts',
  'src/express/options/options.ts',
  'src/express/pages/link.ts',
]

const patterns = sourcePatterns()

/** Text to repeat: each kind of character that a pattern may match, alone and in pairs. */
const alphabet = ['a', 'Z', '0', ' ', '\t', '\n', '/', '"', '\\', ',', ';', '=', '.', '-', '_', ':', '<', '@', '%', 'é']
const pumps = [...alphabet, '\u00a0', 'a0', '0.', ', ', '; ', 'a=']
/** After these, nothing can match. */
const suffixes = ['\u0000', '\n!']

/** Prefixes that a match may need before it reaches the repetition. */
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
  return performance.now() - start > maxDuration
}

/** Tries several times, because other processes may slow down a single run. */
const isSlowAlways = (pattern: RegExp, text: string) => [1, 2, 3, 4].every(() => isSlow(pattern, text))

/** The first text that takes too long. Shorter texts come first, to avoid waiting for longer ones. */
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
  it('all regular expressions in the source are found', () => {
    expect(patterns.length).toBeGreaterThan(80)
  })

  const foreign = patterns.filter(({ name }) => !ownWords.includes(name.split(' ')[0] ?? ''))

  it.each(foreign)('the regular expression $name runs in linear time', { timeout: 60_000 }, ({ pattern }) => {
    expect(slowText(pattern)).toBeUndefined()
  })

  inFullRun.each([/^(a+)+$/, /^(\w|\d)*!$/, /(a*)*b/, /^\s*[^;]*x$/, /^a*a*y/])(
    'the check detects a slow regular expression like %s',
    { timeout: 60_000 },
    (pattern) => {
      expect(slowText(pattern)).toBeDefined()
    },
  )
})
