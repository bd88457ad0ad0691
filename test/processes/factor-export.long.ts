import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { createDatabase, run } from '../cli/admin/run-command.ts'
import { main } from '../cli/command.ts'

describe('an export of factors', () => {
  it('an export of factors that is killed leaves its entry in the audit trail, and no file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-killed-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    await createDatabase(folder)
    const file = (name: string) => join(folder, name)
    const admin = (...args: readonly string[]) => run(...args, '--database', file('mfa.sqlite'), '--json')
    const entries = async () => (await admin('audit', 'list', '--event', 'factors.exported')).json.length as number
    await admin('user', 'create', 'alice', '--name', 'Alice', '--email', 'alice@example.com', '--domain', 'Intranet')
    writeFileSync(file('seed.txt'), '3132333435363738393031323334353637383930')
    await admin('hardware', 'create', 'HW-1', '--seed', `@${file('seed.txt')}`)
    await admin('hardware', 'assign', 'HW-1', 'alice')
    writeFileSync(file('passphrase.txt'), 'mango-Lantern-piano-42\n')

    // The entry comes before the key of the passphrase is derived, which takes seconds.
    const options = ['--database', file('mfa.sqlite'), '--passphrase', `@${file('passphrase.txt')}`]
    const child = spawn(process.execPath, [main, 'factor', 'export', file('factors.age'), ...options])
    const ended = once(child, 'close')
    await expect.poll(entries, { interval: 50 }).toBe(1)
    child.kill('SIGKILL')
    await ended

    expect([existsSync(file('factors.age')), await entries()]).toEqual([false, 1])
    const unfinished = readdirSync(folder).filter((name) => name.includes('.part'))
    for (const name of unfinished) expect(readFileSync(file(name), 'latin1')).not.toMatch(/otpauth|alice/)
    expect(unfinished).toHaveLength(1)
  })
})
