import { describe, expect, it } from 'vitest'

import { type Catalog, moduleOf, readCatalog, surfaces, valuesOf } from '../../scripts/catalogs.ts'
import { loadTexts } from '../../src/console/screens/openid/texts/load.ts'
import { languageNames } from '../../src/contract/languages.ts'

const languageTags = Object.keys(languageNames)
const translated = languageTags.filter((tag) => tag !== 'en')

/** The texts of a catalog with their ids, such as `code/code/headline`. */
const textsOf = (catalog: Catalog) => Object.entries(catalog).map(([id, entry]) => [id, entry.defaultMessage] as const)

/** Whether a text, or each form of it, is a name, or a word that two languages may share. */
const isWord = (text: string) =>
  text
    .replaceAll(/\{\w+(, number)?\}|\w+, plural,|(=\d+|zero|one|two|few|many|other) (?=\{)/g, ' ')
    .split(/[{}]/)
    .every((part) => (part.match(/[\p{L}-]+/gu) ?? []).length <= 1)

describe.each(Object.keys(surfaces) as (keyof typeof surfaces)[])('the catalogs of the %s', (surface) => {
  it('the English catalog describes each text to translators', async () => {
    const english = await readCatalog(surface, 'en')
    const bare = Object.entries(english).filter(([, { description = '' }]) => !/^[A-Z“{(].{8,}\.$/su.test(description))

    expect(Object.keys(english).length).toBeGreaterThan(50)
    expect(bare).toEqual([])
  })

  it.each(translated)(
    'the catalog in %s has every text of the English one, in its order, and no other',
    async (tag) => {
      const [english, own] = [await readCatalog(surface, 'en'), await readCatalog(surface, tag)]

      expect(Object.keys(own)).toEqual(Object.keys(english))
    },
  )

  it.each(translated)('the catalog in %s has no English text', async (tag) => {
    const [english, own] = [await readCatalog(surface, 'en'), await readCatalog(surface, tag)]
    const untranslated = textsOf(own).filter(([id, text]) => !isWord(text) && english[id]?.defaultMessage === text)

    expect(untranslated).toEqual([])
  })

  it.each(translated)('the catalog in %s has the values of the English one, and no others', async (tag) => {
    const [english, own] = [await readCatalog(surface, 'en'), await readCatalog(surface, tag)]
    const namesIn = (text: string) => [...valuesOf(text).keys()].toSorted().join()
    const differing = textsOf(own).filter(([id, text]) => namesIn(text) !== namesIn(english[id]?.defaultMessage ?? ''))

    expect(differing).toEqual([])
  })

  it('no catalog is a copy of that of another language', async () => {
    const catalogs = await Promise.all(languageTags.map(async (tag) => [tag, await readCatalog(surface, tag)] as const))
    const pairs = catalogs.flatMap(([tag, own], index) =>
      catalogs.slice(index + 1).map(([other, theirs]) => {
        const same = textsOf(own).filter(([id, text]) => theirs[id]?.defaultMessage === text)
        return { pair: `${tag} ${other}`, share: same.length / Object.keys(own).length }
      }),
    )

    // Spanish and Portuguese have every ninth in common.
    expect(pairs.filter(({ share }) => share > 0.15)).toEqual([])
  })
})

describe('texts whose languages are lists', () => {
  it('the lists of the OpenID texts have each English text at its id, in every language', async () => {
    for (const [tag, load] of Object.entries(loadTexts)) {
      const [catalog, words] = [await readCatalog('openid', tag), await load()]

      expect(words.keys.states.signing).toBe(catalog['keys/states/signing']?.defaultMessage)
      expect(words.options.cloud['us-government']).toBe(catalog['options/cloud/us-government']?.defaultMessage)
      expect(words.added('Wiki')).toBe(catalog['added']?.defaultMessage.replace('{name}', 'Wiki'))
      expect(words.keys.shared).toBe(catalog['keys/shared']?.defaultMessage)
    }
  })
})

/** What is generated from English messages, and from their German ones. */
function generated(messages: Readonly<Record<string, string>>, german?: Readonly<Record<string, string>>): string {
  const catalogOf = (texts: Readonly<Record<string, string>>): Catalog =>
    Object.fromEntries(Object.entries(texts).map(([id, defaultMessage]) => [id, { defaultMessage }]))
  const english = catalogOf(messages)
  const [tag, catalog] = german ? ['de', catalogOf(german)] : ['en', english]
  return moduleOf({ tag, folder: 'console/texts', catalog, english })
}

describe('the generator of texts', () => {
  it('generates a string for a message without values, with apostrophes and braces as they are read', () => {
    expect(generated({ hint: "It''s '{'here'}' for $5" })).toContain('hint: "It\'s {here} for $5",')
  })

  it('generates a function for a message with values, in the order of English also where another language has another order', () => {
    const english = { at: '{name} at {app} costs $5 `now`' }

    expect(generated(english)).toContain('at: (name: string, app: string) => `${name} at ${app} costs \\$5 \\`now\\``,')
    expect(generated(english, { at: 'Bei {app}: {name}' })).toContain('at: (name, app) => `Bei ${app}: ${name}`,')
  })

  it('inserts numbers unchanged, and formats only what plural counts', () => {
    const message = '{max, number} of {left, plural, =0 {none} one {# day} other {# days}}'

    const code = generated({ message })

    expect(code).toContain("import { plurals } from '../../ground/plural.ts'")
    expect(code).toContain(
      'message: (max: number, left: number) => `${max} of ${left === 0 ? "none" : count(left, { one: `# day`, other: `# days` })}`,',
    )
  })

  it('generates nested objects from the parts of ids, and arrays from numbers', () => {
    const code = generated({ 'a/b.c/0': 'x', 'a/b.c/1': 'y' })

    expect(code.replaceAll(/\s+/g, ' ')).toContain('a: { "b.c": [ "x", "y", ], },')
  })

  it.each([
    [
      'a value that English does not have',
      { a: 'Hi' },
      { a: 'Hallo {name}' },
      'a: the English message has no value {name}',
    ],
    ['a kind of value that nothing formats', { a: '{day, date}' }, undefined, 'a: a message may have {name}'],
    ['a syntax error', { a: '{name' }, undefined, 'a: EXPECT_ARGUMENT_CLOSING_BRACE'],
    ['a value before the number in a plural', { a: '{n, plural, other {{b} has #}}' }, undefined, '# stands before'],
    ['a text where others are below it', { a: 'x', 'a/b': 'y' }, undefined, 'a/b: a is a text already'],
  ])('the generator of catalogs rejects %s, and names the entry', (_, english, german, problem) => {
    expect(() => generated(english, german)).toThrow(problem)
  })

  it('names the catalog that is missing', async () => {
    await expect(readCatalog('pages', 'xx')).rejects.toThrow('catalogs/pages/xx.json is missing')
  })
})
