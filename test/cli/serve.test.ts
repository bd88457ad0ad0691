import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { openRaw } from '../support/raw-http.ts'
import { run as runHere, runIn } from './admin/run-command.ts'

/** As it is installed. `npm run build` makes it. Where it does not have to be a process, `runHere` takes less time. */
const program = fileURLToPath(new URL('../../bin/second-factor.js', import.meta.url))

let folder: string
let database: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-cli-'))
  database = join(folder, 'mfa.sqlite')
})
afterEach(() => rmSync(folder, { recursive: true }))

function start(...args: string[]) {
  return spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
}

async function run(...args: string[]) {
  const child = start(...args)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { stdout, stderr, code: code as number }
}

/** Said in one line, and without showing how the program is made. */
function expectOneLine(stderr: string): void {
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(stderr).not.toContain('    at ')
}

describe('second-factor init', () => {
  inFullRun('second-factor init prints the API key of a new organization as JSON', async () => {
    const { stdout, stderr, code } = await run('init', '--database', database, '--json')

    expect([stderr, code]).toEqual([expect.stringContaining('Back up that file'), 0])
    expect(JSON.parse(stdout)).toEqual({
      organizationId: expect.stringMatching(/^[0-9a-f]{40}$/),
      domainId: expect.stringMatching(/^[0-9a-f]{40}$/),
      apiKey: expect.stringMatching(/^[A-Za-z0-9]{64}$/),
    })
  })

  inFullRun(
    'second-factor init prints the variables by which an app finds the service, for a shell and a .env file',
    async () => {
      const { stdout } = await runHere('init', '--database', database, '--base-path', '/mfa-api')

      const [, apiKey] = /API key +(\S+)/.exec(stdout) ?? []
      const [, domainId] = /Domain +My app \((\w+)\)/.exec(stdout) ?? []
      expect(parseEnv(stdout.slice(stdout.indexOf('export ')))).toEqual({
        MFA_BASE_URL: 'http://localhost:8787/mfa-api',
        MFA_AUTHENTICATOR_URL: 'http://localhost:8787',
        MFA_API_KEY: apiKey,
        MFA_DOMAIN_ID: domainId,
      })
    },
  )

  inFullRun.each([
    ['--organization', ''],
    ['--domain', 'x'.repeat(129)],
    ['--domain', 'two\nlines'],
  ])('second-factor init creates nothing when the name of %s is invalid: %j', async (option, name) => {
    const { stderr, code } = await runHere('init', '--database', database, option, name)

    expect([code, existsSync(database)]).toEqual([2, false])
    expectOneLine(stderr)
    expect(stderr).toMatch(new RegExp(`^${option}: must `))
  })

  inFullRun('second-factor init adds an organization to a database with others, but rejects a name twice', async () => {
    const first = await runHere('init', '--database', database, '--organization', 'A')
    const second = await runHere('init', '--database', database, '--organization', 'B', '--domain', 'Shop')
    const third = await runHere('init', '--database', database, '--organization', 'A')

    expect([first.code, second.code, third.code]).toEqual([0, 0, 1])
    expect(second.stdout).toContain('Shop')
    expectOneLine(third.stderr)
    expect(third.stderr).toContain('An organization named "A" already exists.')
    expect(third.stdout).toBe('')
  })

  it.each([
    ['a file of another kind', () => join(folder, 'letter.txt')],
    ['a folder', () => folder],
  ])('second-factor init refuses %s as a database', async (_what, path) => {
    writeFileSync(join(folder, 'letter.txt'), 'Dear Sir or Madam, this is no database.')

    const { stderr, code } = await runHere('init', '--database', path())

    expect(code).toBe(1)
    expectOneLine(stderr)
  })
})

describe('second-factor serve', () => {
  inFullRun(
    'second-factor serve prints one line when it listens, uses the configured words, and exits with 0 on SIGTERM',
    async () => {
      const created = (await runHere('init', '--database', database, '--json')).json
      const words = ['--base-path', '/mfa', '--scheme', 'Acme', '--media-type', 'acme', '--drain-seconds', '0']
      const child = start('serve', '--database', database, '--port', '0', ...words)
      const output = text(child.stdout)
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(line.toString())?.[0]

      const response = await fetch(`${origin}/mfa/organization`, {
        headers: { authorization: `Acme key="${created.apiKey}"` },
      })
      child.kill('SIGTERM')
      const [code] = (await once(child, 'close')) as [number]

      expect(response.headers.get('content-type')).toBe('application/vnd.acme.v1+json')
      expect(await response.json()).toEqual({ name: 'Organization' })
      expect(code).toBe(0)
      expect((await output).trimEnd().split('\n')).toHaveLength(1)
    },
  )

  inFullRun('second-factor serve serves metrics on their own port, and times out slow requests', async () => {
    await runHere('init', '--database', database)
    const patience = ['--headers-timeout', '1', '--request-timeout', '1', '--drain-seconds', '0']
    const child = start('serve', '--database', database, '--port', '0', '--metrics-port', '0', ...patience)
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const [, origin = '', metrics = ''] =
      /listens on (\S+) \(REST interface at \S+, metrics at (\S+)\)/.exec(line.toString()) ?? []

    const figures = await fetch(metrics)
    const metricsResponse = await fetch(`${origin}/metrics`)
    const slow = await openRaw(Number(new URL(origin).port))
    const refusal = await slow.answer()
    child.kill('SIGTERM')
    const [code] = (await once(child, 'close')) as [number]

    expect(await figures.text()).toContain('second_factor_sessions_pending 0')
    expect([figures.status, metricsResponse.status, refusal.status]).toEqual([200, 404, 408])
    expect(code).toBe(0)
  })

  inFullRun('second-factor serve does not create a database', async () => {
    const { stderr, code } = await run('serve', '--database', database)

    expect(code).toBe(1)
    expectOneLine(stderr)
    expect(stderr).toContain('second-factor init')
    expect(existsSync(database)).toBe(false)
  })

  it('second-factor serve refuses an empty --host, which would listen on all addresses', async () => {
    const { stderr, code } = await runHere('serve', '--database', database, '--host', '')

    expect(code).toBe(2)
    expect(stderr).toContain("'--host <address>' argument '' is invalid")
  })

  inFullRun.each([
    ['its port', '--port', []],
    ['the port of its metrics', '--metrics-port', ['--port', '0']],
  ])('second-factor serve names the option to change when %s is in use', async (_what, option, others) => {
    await runHere('init', '--database', database)
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo

    const { stderr, code } = await run('serve', '--database', database, ...others, option, String(port))
    other.close()

    expect(code).toBe(1)
    // What it logged before is JSON.
    expectOneLine(stderr.replaceAll(/^\{.*\n/gm, ''))
    expect(stderr).toContain(`Choose another with ${option}.`)
  })
})

describe('a usage error', () => {
  inFullRun.each([
    [[]],
    [['unknown']],
    [['init']],
    [['serve', '--database', 'x', '--port', '99999']],
    [['serve', '--database', 'x', '--host', '[::1]']],
    [['serve', '--database', 'x', '--host', '0.0.0.0:8787']],
    [['serve', '--database', 'x', '--host', 'http://localhost']],
    [['serve', '--database', 'x', '--log-level', 'loud']],
    [['serve', '--database', 'x', '--metrics-port', 'x']],
    [['serve', '--database', 'x', '--request-timeout', '0']],
    [['openapi', '--scheme', 'two words']],
    [['init', '--database', 'x', '--unknown']],
  ])('second-factor exits with 2 after a usage error: %j', async (args) => {
    expect((await runHere(...args)).code).toBe(2)
  })

  it('second-factor names a misspelled option, and not only the required one that is missing for it', async () => {
    const { stderr, code } = await runHere('init', '--databse', database)

    expect(code).toBe(2)
    expect(stderr).toContain("unknown option '--databse', and required option '--database <file-or-url>' not specified")
  })

  inFullRun(
    'second-factor names commands as npx finds them where it was started by npx, and quotes paths for a shell',
    async () => {
      const other = join(folder, 'it is.sqlite')

      const byNpx = await runIn({ npm_lifecycle_script: 'second-factor' }, 'user', 'list', '--database', other)
      const byPath = await runIn({ npm_lifecycle_script: 'vitest' }, 'user', 'list', '--database', other)
      const usage = await runIn({ npm_lifecycle_script: 'second-factor' }, 'user', 'list', '--unknown')
      const created = await runIn({ npm_lifecycle_script: 'second-factor' }, 'init', '--database', other)

      expect(byNpx.stderr).toContain(`Create it: npx second-factor init --database '${other}'`)
      expect(byPath.stderr).toContain(`Create it: second-factor init --database '${other}'`)
      expect(usage.stderr).toContain('See: npx second-factor user list --help')
      expect(created.stdout).toMatch(/^Next +npx second-factor serve --database '/m)
    },
  )

  inFullRun(
    'second-factor names an address that is none as it was given: by its option, or else by its variable',
    async () => {
      const keys = `k1:${Buffer.alloc(32, 1).toString('base64')}`
      const env = { MFA_KEYS: keys, MFA_LISTEN_DATABASE: 'nonsense', MFA_DATABASE: 'postgres://127.0.0.1:1/mfa' }

      const served = await runIn(env, 'serve', '--port', '0')
      const listed = await runIn(env, 'user', 'list')

      expect([served.code, listed.code]).toEqual([2, 2])
      expect(served.stderr).toContain('--listen-database: this is no address')
      expect(listed.stderr).toContain('MFA_LISTEN_DATABASE: this is no address')
    },
  )

  inFullRun.each(['foo', 'http://mfa.example', 'https://mfa.example/'])(
    'second-factor serve --oidc refuses the issuer %s by the name of its option, and leaves no node behind',
    async (issuer) => {
      await runHere('init', '--database', database)

      const served = await run('serve', '--database', database, '--port', '0', '--oidc', '--oidc-issuer', issuer)
      const { nodes } = (await runHere('keys', 'status', '--database', database, '--json')).json

      const [message] = served.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
      expect([served.code, served.stdout, nodes]).toEqual([2, '', []])
      expect(message).toMatch(/^--oidc-issuer: must be .* See: second-factor serve --help$/)
    },
  )

  inFullRun('second-factor names the option of a usage error as it was typed, and exits with 2', async () => {
    await runHere('init', '--database', database)

    const { stderr, code } = await run('serve', '--database', database, '--base-path', 'api')

    expect(code).toBe(2)
    expect(stderr).toBe(
      "error: option '--base-path <path>' argument 'api' is invalid. It must begin with a slash and not end with one. " +
        'See: second-factor serve --help\n',
    )
  })
})

describe('--help', () => {
  inFullRun.each([[[]], [['init']], [['serve']], [['device']]])(
    'the help of second-factor %j shows real examples and exits with 0',
    async (command) => {
      const { stdout, code } = await runHere(...command, '--help')

      expect(code).toBe(0)
      expect(stdout.match(/^ {2}\$ second-factor .+/gm)?.length).toBeGreaterThanOrEqual(2)
    },
  )

  it('the help of second-factor serve lists its many options in groups', async () => {
    const { stdout } = await runHere('serve', '--help')

    const headings = [...stdout.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading)
    expect(headings.slice(0, 8)).toEqual([
      'Database',
      'Connections',
      'Logs and metrics',
      'Devices and passkeys',
      'Console',
      'OpenID Connect',
      'Words of existing clients',
      'Limits',
    ])
  })
})
