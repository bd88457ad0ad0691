import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { languageNames } from '../../src/contract/languages.ts'

/** Where the texts of each surface are. */
const surfaces = {
  pages: 'express/messages',
  authenticator: 'authenticator/words',
  console: 'console/words',
  mails: 'service/engine/mail/words',
} as const

const languageTags = Object.keys(languageNames)
const translated = languageTags.filter((tag) => tag !== 'en')

type Text = string | ((...args: readonly unknown[]) => string)

/** The texts of a language by their names, such as `code.headline`. */
type Catalog = ReadonlyMap<string, Text>

async function catalogOf(folder: string, tag: string): Promise<Catalog> {
  const module = (await import(join(root, `src/${folder}/${tag}.ts`))) as Readonly<Record<string, object>>
  return new Map(textsIn(module[tag] ?? {}))
}

function textsIn(words: object, prefix = ''): [string, Text][] {
  return Object.entries(words).flatMap(([name, value]): [string, Text][] =>
    typeof value === 'object' && value !== null
      ? textsIn(value as object, `${prefix}${name}.`)
      : [[prefix + name, value as Text]],
  )
}

/** What a text says to these values; undefined where it takes others, such as a number. */
function said(text: Text, values: readonly unknown[]): string | undefined {
  if (typeof text === 'string') return text
  try {
    return text(...values)
  } catch {
    return undefined
  }
}

/** Names and numbers that occur in no text. */
const samples: readonly (readonly unknown[])[] = [
  ['Ada', 'Bo', 'Cy', 'Di'],
  [23, 34, 45, 56],
]

/** The places of the values that a text shows: another value there makes it another text. */
function shownValues(text: Text): readonly number[] {
  return [0, 1, 2, 3].filter((place) =>
    samples.some((values) => {
      const other = values.with(place, typeof values[place] === 'number' ? 67 : 'Eve')
      return said(text, values) !== said(text, other)
    }),
  )
}

const readingOf = (text: Text) => samples.map((values) => said(text, values)).join('\n')

/** Names, and what is a word of that language as well. */
const isWord = (text: string) =>
  text
    .replaceAll(/[^\p{L}\s]/gu, '')
    .trim()
    .split(/\s+/).length === 1

describe.each(Object.entries(surfaces))('the texts of the %s', (_, folder) => {
  it.each(translated)('are all there in %s, and no others', async (tag) => {
    const [english, own] = [await catalogOf(folder, 'en'), await catalogOf(folder, tag)]

    expect(english.size).toBeGreaterThan(50)
    expect([...own.keys()].toSorted()).toEqual([...english.keys()].toSorted())
  })

  it.each(translated)('are translated in %s', async (tag) => {
    const [english, own] = [await catalogOf(folder, 'en'), await catalogOf(folder, tag)]
    const untranslated = [...english].filter(([name, text]) => {
      const reading = readingOf(text)
      return !isWord(said(text, ['', '', '', '']) ?? reading) && readingOf(own.get(name) ?? '') === reading
    })

    expect(untranslated.map(([name]) => name)).toEqual([])
  })

  it.each(translated)('show the same values in %s as in English', async (tag) => {
    const [english, own] = [await catalogOf(folder, 'en'), await catalogOf(folder, tag)]
    const differing = [...english].filter(
      ([name, text]) => shownValues(own.get(name) ?? '').join() !== shownValues(text).join(),
    )

    expect(differing.map(([name]) => name)).toEqual([])
  })

  it('are not those of another language', async () => {
    const catalogs = await Promise.all(languageTags.map(async (tag) => [tag, await catalogOf(folder, tag)] as const))
    const pairs = catalogs.flatMap(([tag, own], index) =>
      catalogs.slice(index + 1).map(([other, theirs]) => {
        const same = [...own].filter(([name, text]) => readingOf(theirs.get(name) ?? '') === readingOf(text))
        return { pair: `${tag} ${other}`, share: same.length / own.size }
      }),
    )

    // Spanish and Portuguese have every ninth in common.
    expect(pairs.filter(({ share }) => share > 0.15)).toEqual([])
  })
})
