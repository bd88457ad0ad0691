import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { describe, expect, it } from 'vitest'

import { isLeftOut } from './left-out.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const text = readFileSync(`${root}docs/guarantees.md`, 'utf8')
const lines = text.split('\n').filter((line) => line.startsWith('- '))

/** `- Promise. ✓ (path: title)`, where the path is below test/. */
const guarantees = lines.map((line) => {
  const [, promise, path, title] = /^- (.+\.)(?: ✓)? \(`([^`]+)`: (.+)\)$/.exec(line) ?? []
  return { line, promise, path, title }
})

describe('the guarantees', () => {
  it('each guarantee names one test', () => {
    expect(guarantees.filter(({ promise }) => promise === undefined).map(({ line }) => line)).toEqual([])
    expect(guarantees.length).toBeGreaterThan(60)
  })

  it.each(guarantees)('a test has the title that the guarantee names: $promise', ({ path, title }) => {
    const file = `${root}test/${path}`
    expect(existsSync(file)).toBe(true)
    expect(readFileSync(file, 'utf8').replaceAll("\\'", "'")).toContain(title)
  })

  it('npm test leaves out no test that proves a guarantee', () => {
    const leftOut = guarantees.filter(({ path, title = '' }) =>
      isLeftOut(readFileSync(`${root}test/${path}`, 'utf8'), title),
    )

    expect(leftOut.map(({ path, title }) => `${path}: ${title}`)).toEqual([])
  })
})

describe('a test that is left out', () => {
  it.each([
    ['by itself', "describe('a suite', () => {\n  inFullRun('a title', () => {\n"],
    ['by its table', "describe('a suite', () => {\n  inFullRun.each([\n    ['a row'],\n  ])('a title %s', () => {\n"],
    ['by its suite', "describeInFullRun('a suite', () => {\n  it('a title', () => {\n"],
    ['in more lines', "describe('a suite', () => {\n  inFullRun(\n    'a title',\n    async () => {\n"],
  ])('a test that is left out is known %s', (_, source) => {
    expect(isLeftOut(source, 'a title')).toBe(true)
  })

  it.each([
    ['one before it', "describe('a suite', () => {\n  inFullRun('another', () => {\n  })\n\n  it('a title', () => {\n"],
    [
      'a suite before it',
      "describeInFullRun('another', () => {\n})\n\ndescribe('a suite', () => {\n  it('a title', () => {\n",
    ],
    [
      'a table before it',
      "  inFullRun.each([\n    ['a row'],\n  ])('another', () => {\n  })\n\n  it.each([\n    ['a row'],\n  ])('a title', () => {\n",
    ],
  ])('a test is not left out because of %s', (_, source) => {
    expect(isLeftOut(source, 'a title')).toBe(false)
  })
})
