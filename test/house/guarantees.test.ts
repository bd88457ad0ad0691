import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { describe, expect, it } from 'vitest'

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
})
