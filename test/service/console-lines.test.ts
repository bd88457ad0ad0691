import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { consoleLogger } from '../../src/service/engine/base/console-logger.ts'
import { embedded } from '../../src/service/index.ts'
import { inFullRun } from '../support/full-run.ts'

/** What is written on standard error until the test ends. */
function listen(): readonly string[] {
  const lines: string[] = []
  const spy = vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line))
  onTestFinished(() => spy.mockRestore())
  return lines
}

describe('a service without a logger', () => {
  inFullRun(
    'an embedded service says on the console that it has created its database and keys, and nothing at the next start',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'second-factor-console-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const database = join(folder, 'mfa.sqlite')
      const lines = listen()

      const first = embedded({ database })
      await first.connect()
      await first.close()
      const atFirst = [...lines]
      const second = embedded({ database })
      await second.connect()
      await second.close()

      expect(atFirst).toEqual([
        expect.stringMatching(
          /^second-factor: The database \S+mfa\.sqlite has just been created\. It has no enrolled users\.$/,
        ),
        expect.stringMatching(/^second-factor: The secrets of this database .* Back up that file, .*[^)]$/),
      ])
      expect(lines).toEqual(atFirst)
    },
  )

  it('an error takes one line on the console, with its causes and the place where it began', () => {
    const lines = listen()
    const cause = new Error('no\nroom')
    const error = new Error('not stored', { cause })

    consoleLogger.error({ err: error, code: 'api.error.internal', requestId: undefined }, 'request failed')

    expect(lines).toEqual([
      expect.stringMatching(
        /^second-factor: request failed \(not stored: no room at .*console-lines\.test\.ts.*, code: api\.error\.internal\)$/,
      ),
    ])
  })

  it('what callers send cannot move the cursor of the console, and what only a restore needs is not written', () => {
    const lines = listen()

    consoleLogger.warn({ address: '192.0.2.1\u001B[2J' }, 'no valid API key')
    consoleLogger.warn({ revocation: { event: 'device.removed' } }, 'revoked')
    consoleLogger.info({}, 'audit head')

    expect(lines).toEqual(['second-factor: no valid API key (address: 192.0.2.1\ufffd[2J)'])
  })
})
