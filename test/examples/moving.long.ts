import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { Secret, TOTP } from 'otpauth'
import { Client } from 'pg'
import speakeasy from 'speakeasy'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { run } from '../cli/admin/run-command.ts'
import { serve } from '../processes/command.ts'
import { createCall } from '../service/start-service.ts'
import { useEngine } from '../support/engines.ts'
import { blocksOf, shell } from '../support/page-commands.ts'
import { npm } from './install-example.ts'

const usernames = ['alice', 'bob', 'carol', 'dave', 'erin']
const page = 'docs/moving.md'

describe('with a table in PostgreSQL', () => {
  beforeAll(() => {
    if (spawnSync('psql', ['--version']).error)
      throw new Error('The page writes files with psql. On Debian: sudo apt-get install postgresql-client')
  })
  const newDatabase = useEngine('PostgreSQL', { empty: true })

  it('codes of speakeasy are accepted after the commands of docs/moving.md', async () => {
    const address = await newDatabase()
    const secrets = usernames.map((username) => ({ username, secret: speakeasy.generateSecret().base32 }))
    await query(address, 'create table users (username text, email text, totp_secret text, totp_enabled boolean)')
    for (const { username, secret } of secrets)
      await query(address, 'insert into users values ($1, $2, $3, true)', [username, `${username}@example.com`, secret])
    const { folder, signsIn } = await firstStep()
    const [commands = ''] = blocksOf(page, 'speakeasy')

    const report = await tryAndImport(folder, commands, { DATABASE_URL: address })

    expect(report).toContain('5 apps imported.')
    for (const { username, secret } of secrets)
      expect(await signsIn(username, speakeasy.totp({ secret, encoding: 'base32' }))).toBe('approved')
    expect(await signsIn('alice', '000000')).toBe('denied')
  })

  it('codes and backup codes of better-auth are accepted after the commands of docs/moving.md', async () => {
    const address = await newDatabase()
    const secret = 'the-secret-of-an-app-with-better-auth'
    const people = await peopleOfBetterAuth(address, secret)
    const { folder, signsIn } = await firstStep()
    const [commands = ''] = blocksOf(page, 'better-auth')

    const report = await tryAndImport(folder, commands, { DATABASE_URL: address, BETTER_AUTH_SECRET: secret })

    expect(report).toContain('5 apps imported.')
    for (const { email, otpauth, backupCodes } of people) {
      expect(await signsIn(email, codeOf(otpauth))).toBe('approved')
      expect(await signsIn(email, backupCodes[0])).toBe('approved')
      expect(await signsIn(email, backupCodes[0])).toBe('denied')
    }
  })
})

it.each([
  [0, 'alice', { digits: 6, period: 30 }, []],
  [1, 'bob', { algorithm: 'SHA256', digits: 8, period: 60 }, ['4f7k-92ab', 'x81m-5tq0']],
] as const)(
  'codes of another system are accepted after a file like example %s of docs/moving.md',
  async (index, username, parameters, recoveryCodes) => {
    const { folder, signsIn } = await firstStep()
    writeFileSync(join(folder, 'factors.csv'), blocksOf(page, 'Another system', 'text')[index] ?? '')
    const [commands = ''] = blocksOf(page, 'The steps').filter((block) => block.includes('--dry-run'))

    const report = await tryAndImport(folder, commands)

    const app = new TOTP({ secret: Secret.fromBase32('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'), ...parameters })
    expect(report).toContain('1 app imported.')
    for (const code of [app.generate(), ...recoveryCodes]) expect(await signsIn(username, code)).toBe('approved')
  },
)

/** Creates the database as the first step says, and a service over it. */
async function firstStep() {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-moving-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [create = ''] = blocksOf(page, 'The steps')
  // The package is there already.
  const { code } = await shell(folder, create.replace(/^npm install .*$/m, '')).ended
  expect(code).toBe(0)
  const database = join(folder, 'mfa.sqlite')
  const [domain] = (await run('domain', 'list', '--database', database, '--json')).json
  const args = ['--role', 'auth', '--domain', domain.id, '--database', database, '--json']
  const { key } = (await run('apikey', 'create', ...args)).json
  const service = await serve(database)
  onTestFinished(async () => {
    await service.stop()
  })
  const call = createCall(service.origin, key)
  return {
    folder,
    /** @returns the state of a sign-in with a code. */
    signsIn: async (username: string, otp = ''): Promise<string> => {
      const { json } = await call('POST', `/domains/${domain.id}/sessions`, { body: { user: { username }, otp } })
      return json.state
    },
  }
}

/** Runs the commands of a section, whose import is a dry run, and then the import alone without that. @returns its output. */
async function tryAndImport(folder: string, commands: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const tried = await shell(folder, commands, env).ended
  expect([tried.code, tried.stdout]).toEqual([0, expect.stringContaining('can be imported. Nothing was changed.')])
  const importing = commands.split('\n').find((line) => line.includes('factor import')) ?? ''
  const { code, stdout } = await shell(folder, importing.replace(' --dry-run', '')).ended
  expect(code).toBe(0)
  return stdout
}

/** People of a real app with better-auth, which keeps them in this database. */
async function peopleOfBetterAuth(address: string, secret: string) {
  const folder = mkdtempSync(join(tmpdir(), 'better-auth-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(join(import.meta.dirname, 'better-auth-table.mjs'), join(folder, 'app.mjs'))
  const dependencies = { 'better-auth': '^1.7.0', pg: '^8.0.0' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  await npm(folder, 'install', '--no-audit', '--no-fund')
  const { stdout } = await promisify(execFile)(process.execPath, ['app.mjs', address, secret, ...usernames], {
    cwd: folder,
  })
  return JSON.parse(stdout) as { email: string; otpauth: string; backupCodes: string[] }[]
}

function codeOf(otpauth: string): string {
  return new TOTP({ secret: Secret.fromBase32(new URL(otpauth).searchParams.get('secret') ?? '') }).generate()
}

async function query(address: string, text: string, values: readonly unknown[] = []): Promise<void> {
  const client = new Client(address)
  await client.connect()
  await client.query(text, [...values])
  await client.end()
}
