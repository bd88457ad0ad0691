import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { readSecretFiles } from '../../src/cli/serve/secret-files.ts'
import { command } from '../processes/command.ts'
import { inFullRun } from '../support/full-run.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-secrets-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

describe('a secret in a file', () => {
  it.each(['MFA_DATABASE', 'MFA_KEYS', 'MFA_SMTP_URL', 'MFA_METRICS_TOKEN'])(
    'the secret %s is read from a file',
    (name) => {
      const env: NodeJS.ProcessEnv = { [`${name}_FILE`]: file('secret', 'a secret\n') }

      readSecretFiles(env)

      expect(env[name]).toBe('a secret')
    },
  )

  it('a secret file can have one key per line', () => {
    const env: NodeJS.ProcessEnv = { MFA_KEYS_FILE: file('keys', 'k2:two\nk1:one\n') }

    readSecretFiles(env)

    expect(env['MFA_KEYS']).toBe('k2:two,k1:one')
  })

  inFullRun('secrets in files open the database without --database and MFA_KEYS', async () => {
    const database = join(folder, 'mfa.sqlite')
    const env = {
      MFA_DATABASE_FILE: file('database', `${database}\n`),
      MFA_KEYS_FILE: file('keys', `k7:${Buffer.alloc(32, 7).toString('base64')}\n`),
    }

    const init = await command(['init', '--json'], env)
    const status = await command(['keys', 'status', '--json'], env)

    expect(init.code).toBe(0)
    expect(status.json.keys).toMatchObject([{ id: 'k7', first: true }])
  })

  it.each([
    ['its file is missing', () => join(folder, 'none'), {}, 'none (ENOENT)'],
    ['its file is empty', () => file('empty', '\n'), {}, 'is empty'],
    ['the variable is set too', () => file('keys', 'k1:secret'), { MFA_KEYS: 'k2:secret' }, 'are both set'],
  ])('a secret in a file is rejected in one line when %s', async (_when, path, more, message) => {
    const { code, stderr } = await command(['apikey', 'list'], { MFA_KEYS_FILE: path(), ...more })

    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).not.toMatch(/k[12]:/)
  })

  inFullRun.each([[['--help']], [['serve', '--help']], [['help', 'serve']], [['--version']]])(
    'a secret file that cannot be read does not keep anybody from the help: %j',
    async (args) => {
      const { code, stdout, stderr } = await command(args, { MFA_KEYS_FILE: join(folder, 'none') })

      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).not.toBe('')
    },
  )

  inFullRun(
    'a secret file that cannot be read stops a command with an option whose value looks like a question for help',
    async () => {
      const database = join(folder, 'mfa.sqlite')
      const env = { MFA_KEYS_FILE: join(folder, 'none') }

      const { code, stderr } = await command(['init', '--database', database, '--domain', 'help'], env)

      expect([code, stderr]).toEqual([2, expect.stringContaining('none (ENOENT)')])
      expect(existsSync(database)).toBe(false)
    },
  )

  inFullRun(
    'a secret file that cannot be read has second-factor ask exit with 3: 2 would say that the approval expired',
    async () => {
      const { code, stderr } = await command(['ask', '--title', 'x'], { MFA_API_KEY_FILE: join(folder, 'none') })

      expect([code, stderr]).toEqual([3, expect.stringContaining('none (ENOENT)')])
    },
  )
})
