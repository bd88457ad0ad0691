import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

import { describe, expect, it } from 'vitest'

import { filesBelow } from '../../scripts/fingerprint.ts'
import { root } from '../../scripts/run.ts'

/** A preposition with what follows it is no sentence: the reader has to guess what it is about. */
const bare =
  /^\s*(?:\/\*\*|\/\/) (?:(?:Of|By|Whose|Until when|Since when|(?:With|For|In|By|From|To|At) (?:which|whom|what)) [^:,]*[.]|In a transaction\b.*|For [^,.:]*[.])(?: \*\/)?$/

describe('a comment', () => {
  it('a comment begins with a subject or a verb, and never with a bare preposition', async () => {
    const sources = (await filesBelow(join(root, 'src'))).filter((path) => /\.tsx?$/.test(path))
    // Migrations stay as they are.
    const read = sources.filter((path) => !/schema\/\d{4}-/.test(path))
    const bareComments = read.flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => bare.test(line))
        .map((line) => `${relative(root, path)}: ${line.trim()}`),
    )

    expect(read.length).toBeGreaterThan(500)
    expect(bareComments).toEqual([])
  })
})
