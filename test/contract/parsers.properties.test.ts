import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { parseCsv } from '../../src/service/features/hardware/files/csv.ts'
import { readTokens } from '../../src/cli/import/read-tokens.ts'
import { Failure } from '../../src/cli/terminal/failure.ts'
import { acceptsType, answerFormat, defaultVendor } from '../../src/contract/media-type.ts'
import { Attribute } from '../../src/contract/sessions.ts'
import { ActivationCode, activationCodeAlphabet } from '../../src/contract/tokens.ts'
import { readForm } from '../../src/express/request/form.ts'
import { preferredWait } from '../../src/service/engine/http/held-read.ts'
import { parseJson } from '../../src/service/engine/http/parse-json.ts'
import { parseQuery } from '../../src/service/engine/http/query-string.ts'
import { parseRows } from '../../src/service/engine/http/rows.ts'
import { keySize, parseKeyRing } from '../../src/service/engine/secrets/key-ring.ts'
import { ApiProblem } from '../../src/service/engine/base/problem.ts'
import { networkOf } from '../../src/service/engine/base/network.ts'
import { hasPollutedPrototypes } from '../attacks/polluted.ts'
import { all, pieces } from '../service/features/hardware/files/pieces.ts'
import { anyText } from '../support/any-text.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'

const anything = fc.oneof(fc.string(), anyText(), fc.constantFrom('__proto__=1', 'constructor=1'))

/** What it throws; nothing where it does not. */
function thrownBy(read: () => unknown): unknown {
  try {
    read()
    return undefined
  } catch (error) {
    return error
  }
}

/** Whether it is read, or refused by an error of one of these kinds. */
function isReadOrRefused(read: () => unknown, kind: new (...args: never[]) => Error): boolean {
  const error = thrownBy(read)
  return error === undefined || error instanceof kind
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)

describe('an Accept header', () => {
  it('an Accept header requests a known version or none, whatever it contains', () => {
    fc.assert(
      fc.property(anything, (accept) => {
        expect([undefined, '1.3', '1.4']).toContain(answerFormat(defaultVendor, { accept })?.version)
        expect([true, false]).toContain(acceptsType(accept, 'image/png'))
      }),
    )
  })

  it('an Accept header is parsed the same with any case and spaces', () => {
    const blanks = fc.stringMatching(/^[ \t]{0,3}$/)
    fc.assert(
      fc.property(fc.constantFrom('1.3', '1.4'), blanks, blanks, fc.boolean(), (version, before, after, upper) => {
        const plain = `application/vnd.service.v1+json${before};${after}version${before}=${after}"${version}"`
        expect(answerFormat(defaultVendor, { accept: upper ? plain.toUpperCase() : plain })?.version).toBe(version)
      }),
    )
  })
})

describe('a query', () => {
  inFullRun('a query string is parsed back as it was written', () => {
    const values = fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { noNullPrototype: true })
    fc.assert(
      fc.property(values, (parameters) => {
        const text = Object.entries(parameters).map(
          ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
        )
        const read = Object.entries(parseQuery(`/x?${text.join('&')}`))
        expect(read.toSorted(byName)).toEqual(Object.entries(parameters).toSorted(byName))
      }),
    )
  })

  it('a query string is parsed to own members only, or is malformed', () => {
    fc.assert(
      fc.property(anything, (text) => {
        expect(isReadOrRefused(() => parseQuery(`/x?${text}`), ApiProblem)).toBe(true)
      }),
    )
    expect(Object.hasOwn(parseQuery('/x?__proto__=a'), '__proto__')).toBe(true)
    expect(hasPollutedPrototypes()).toBe(false)
  })
})

describe('a preference to wait', () => {
  it('a preference to wait is between zero and a minute', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anything,
          fc.integer().map((n) => `wait=${n}`),
          fc.bigInt().map((n) => `wait=${n}`),
        ),
        (text) => {
          const wait = preferredWait(text)
          expect(wait === undefined || (wait >= 0 && wait <= 60)).toBe(true)
        },
      ),
    )
  })
})

describe('rows of an array', () => {
  inFullRun('the rows of a JSON array match JSON.parse, whatever their layout', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom(0, 2, '\t'), (rows, space) => {
        const text = JSON.stringify(rows, null, space)
        expect([...parseRows(text)].flat()).toEqual(JSON.parse(text))
      }),
    )
  })

  it('the rows of a JSON array are rejected exactly where JSON.parse rejects them', () => {
    // Somewhere, or right at the end.
    const places = fc.oneof(fc.nat(), fc.constantFrom(-2, -1))
    const values = fc.array(fc.oneof(fc.constantFrom(1, ''), fc.jsonValue()))
    const nearly = fc
      .tuple(values, places, fc.constantFrom(',', '"', ']', '[', '}', ' ', '\\', '1', ''))
      .map(([rows, place, what]) => {
        const text = JSON.stringify(rows)
        const at = place < 0 ? text.length + place : place % (text.length + 1)
        return text.slice(0, at) + what + text.slice(at + 1)
      })
    const isArray = (text: string) => thrownBy(() => JSON.parse(text)) === undefined && Array.isArray(JSON.parse(text))
    fc.assert(
      // Read in one piece, or with cuts between all elements.
      fc.property(fc.oneof(nearly, anything), fc.constantFrom(undefined, 1, 8), (text, sliceSize) => {
        const thrown = thrownBy(() => [...parseRows(text, sliceSize)])
        expect([text, thrown === undefined]).toEqual([text, isArray(text)])
        expect(thrown === undefined || thrown instanceof ApiProblem).toBe(true)
      }),
      {
        numRuns: 2_000,
        examples: [
          ['[1,,2]', 1],
          ['[1]1', undefined],
        ],
      },
    )
  })

  it('errors about invalid JSON never quote it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), (secret) => {
        expect(String(thrownBy(() => parseJson(`{"code":"${secret}`)))).not.toContain(secret)
      }),
    )
  })
})

describe('an attribute', () => {
  /** Any character, and often one that has to go. */
  const disturbed = fc.oneof(
    anyText({ minLength: 1, maxLength: 1 }),
    fc.constantFrom('\u0000', '\n', '\u0085', '\u061c', '\u200f', '\u202e', '\u2067', '\ud800', '\udc00'),
  )

  it('an attribute contains no character that could break or reverse the surrounding text', () => {
    fc.assert(
      fc.property(fc.string({ unit: disturbed, maxLength: 300 }), (value) => {
        const parsed = Attribute.safeParse({ key: 'k', value })
        if (!parsed.success) return
        expect(parsed.data.value.isWellFormed()).toBe(true)
        expect(parsed.data.value).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/u)
        expect(Array.from(parsed.data.value).length).toBeLessThanOrEqual(256)
      }),
    )
  })
})

describe('an activation code', () => {
  it('an activation code is parsed in any case, with any spaces and hyphens', () => {
    const code = fc.array(fc.constantFrom(...activationCodeAlphabet.split('')), { minLength: 10, maxLength: 10 })
    fc.assert(
      fc.property(code, fc.constantFrom('', ' ', '-', ' - '), fc.boolean(), (letters, between, upper) => {
        const typed = letters.join(between)
        expect(ActivationCode.parse(upper ? typed.toUpperCase() : typed)).toBe(letters.join(''))
      }),
    )
  })

  it('an activation code is ten characters of its alphabet, or invalid', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const { success, data } = ActivationCode.safeParse(text)
        expect(success).toBe(
          data !== undefined && Array.from(data).every((letter) => activationCodeAlphabet.includes(letter)),
        )
      }),
    )
  })
})

describe('a key ring', () => {
  inFullRun('a key ring is parsed back in order', () => {
    const ids = fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9_-]{1,32}$/), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(ids, fc.uint8Array({ minLength: keySize, maxLength: keySize }), (names, secret) => {
        const ring = parseKeyRing(names.map((id) => `${id}:${Buffer.from(secret).toString('base64')}`).join(', '))
        expect(ring.keys.map(({ id }) => id)).toEqual(names)
        expect(ring.primary.id).toBe(names[0])
      }),
    )
  })

  it('an invalid key ring throws a TypeError without any key', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 48 }), anything, (secret, end) => {
        const key = Buffer.from(secret).toString('base64')
        const read = () => parseKeyRing(`a:${key}${end}`)
        expect(isReadOrRefused(read, TypeError)).toBe(true)
        expect(String(thrownBy(read))).not.toContain(key)
      }),
    )
  })
})

describe('a file of hardware tokens', () => {
  it('a CSV file of hardware tokens is parsed back as it was written, in whatever pieces it arrives', async () => {
    const field = fc.string().filter((text) => text.trim() === text)
    const records = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(
        records,
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.integer({ min: 1, max: 9 }),
        async (rows, newline, size) => {
          const text = rows.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join()).join(newline)
          const parsed = await all(parseCsv(pieces(text, size)))
          expect(parsed.map(({ fault }) => fault).filter(Boolean)).toEqual([])
          expect(parsed.map(({ fields }) => fields)).toEqual(rows.filter((row) => row.some((value) => value !== '')))
        },
      ),
    )
  })

  inFullRun('any file of hardware tokens is parsed, or rejected with a message', async () => {
    const lines = fc.array(
      fc.constantFrom('<KeyContainer', '>', '<Key>', '</', '<!DOCTYPE x>', '&amp;', '"', ',', '\n', 'x'),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          anything,
          lines.map((parts) => parts.join('')),
        ),
        async (text) => {
          const error = await all(readTokens([Buffer.from(text)])).then(
            () => undefined,
            (thrown: unknown) => thrown,
          )
          expect(error === undefined || error instanceof Failure).toBe(true)
        },
      ),
    )
  })
})

describe('an address', () => {
  it('an IPv6 address counts for its network however it is written, and an IPv4 address for itself', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const network = networkOf(address)
        expect(networkOf(address.toUpperCase())).toBe(network)
      }),
    )
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(networkOf(`::ffff:${address}`)).toBe(networkOf(address))
      }),
    )
  })
})

describeInFullRun('a posted form', () => {
  it('a posted form is parsed as the browser wrote it, always to text', async () => {
    const form = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(form, async (fields) => {
        const text = new URLSearchParams(fields).toString()
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        async function* chunks() {
          yield Buffer.from(text)
        }
        const req = Object.assign(chunks(), { headers, readableEnded: false })
        const read = (await readForm(req as never)) ?? {}
        // What is too long to be one of ours is not read.
        expect(read).toEqual(text.length <= 4096 ? Object.fromEntries(fields) : {})
        expect(Object.values(read).every((value) => typeof value === 'string')).toBe(true)
      }),
    )
    expect(hasPollutedPrototypes()).toBe(false)
  })
})
