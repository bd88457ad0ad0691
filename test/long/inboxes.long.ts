import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { describe, expect, it } from 'vitest'

const bench = fileURLToPath(new URL('../../bench/inboxes.ts', import.meta.url))

/** The first number in the benchmark's line for a kind. */
const figure = (text: string, line: string) => Number(new RegExp(`^${line} +\\D*([\\d.]+)`, 'm').exec(text)?.[1])

describe('500 inboxes held at one process', () => {
  it('500 inboxes held at one process use few resources, and are notified at once', { timeout: 180_000 }, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', bench, '500'])

    // Milliseconds, on loopback.
    expect(figure(stdout, 'session to inbox')).toBeLessThan(50)
    expect(figure(stdout, 'approve to client')).toBeLessThan(50)
    // Percent of a core, while nothing happens.
    expect(figure(stdout, 'while they wait')).toBeLessThan(25)
  })
})
