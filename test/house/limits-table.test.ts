import { existsSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { LimitOptions } from '../../src/service/limit-options.ts'
import { headingsOf } from './documents.ts'
import { isLeftOut } from './left-out.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

const section = read('docs/operations.md').split('\n## Limits\n')[1]?.split('\n## ')[0] ?? ''
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => {
    const [where = '', counted = '', , , , , code = '', proof = ''] = line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1)
    return { name: `${where}: ${counted}`, line, code: code.replaceAll('`', ''), proof }
  })

/** Files that count for others, and know no limit themselves. */
const mechanisms = [
  'src/service/engine/limits/attempts.ts',
  'src/service/engine/limits/tallies.ts',
  'src/service/engine/base/problem.ts',
  'src/service/engine/http/rate-limit.ts',
]

/** A call by which something can be used up. */
const counting =
  /\b(?:tooManyRequests|takeAttempt|noteAttempt|reserve|createPlaces|createRateLimiter|createCallSlots|createAdmission|createSlowHashes)\(|const (?:maxPer\w+|maxInProgress) =|new ApiProblem\('api\.error\.limit\./

/** A link to a heading of the threat model. */
function isReason(proof: string): boolean {
  const [, heading = ''] = /\/docs\/threat-model\.md#([^)]+)\)$/.exec(proof) ?? []
  return headingsOf(read('docs/threat-model.md')).includes(heading)
}

/** A test below `test/`, by its file and its title. A limit is a guarantee, so `npm test` runs its test. */
function isTest(proof: string): boolean {
  const [, path = '', title = ''] = /^`([^`]+\.ts)`: (.+)$/.exec(proof) ?? []
  if (title === '' || !existsSync(join(root, 'test', path))) return false
  const source = read(`test/${path}`)
  return source.replaceAll("\\'", "'").includes(title) && !isLeftOut(source, title)
}

describe('the table of limits', () => {
  it.each(rows)('the limit names a test in which others still work, or the threat model: $name', ({ proof }) => {
    expect(isReason(proof) || isTest(proof)).toBe(true)
  })

  it('the table of limits has a row for each option', () => {
    const options = Object.keys(LimitOptions.shape)

    expect(options.filter((option) => !section.includes(`\`${option}\``))).toEqual([])
  })

  it('the table of limits has a row for each file that counts', async () => {
    const listed = new Set(rows.map(({ code }) => code))
    const files: string[] = []
    for (const folder of ['src/service', 'src/express', 'src/client', 'src/challenge']) {
      const fileNames = await readdir(join(root, folder), { recursive: true })
      files.push(...fileNames.filter((file) => file.endsWith('.ts')).map((file) => `${folder}/${file}`))
    }
    const count = files.filter((file) => counting.test(read(file)) && !mechanisms.includes(file))

    expect(count.length).toBeGreaterThan(20)
    expect(count.filter((file) => !listed.has(file))).toEqual([])
  })
})
