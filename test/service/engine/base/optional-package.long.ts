import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { root } from '../../../../scripts/run.ts'

/** A third-party app: the built package, and what the app has installed beside it. */
let app: string

beforeAll(() => {
  app = mkdtempSync(join(tmpdir(), 'second-factor-optional-'))
  const modules = join(app, 'node_modules')
  mkdirSync(join(modules, 'second-factor'), { recursive: true })
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(root, part), join(modules, 'second-factor', part), { recursive: true })
  const optional = new Set([
    'age-encryption',
    'better-sqlite3',
    'nodemailer',
    'prom-client',
    'pg',
    'web-push',
    'pino',
    'second-factor',
  ])
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('.') && !optional.has(name)) symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
})
afterAll(() => rmSync(app, { recursive: true }))

/** A stub of a package version. By default it ends the process, as native code for another Node.js version does. */
function install(name: string, version: string, code = 'process.abort()'): void {
  const folder = join(app, 'node_modules', name)
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'lib'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, main: 'lib/index.js' }))
  writeFileSync(join(folder, 'lib/index.js'), code)
}

/** The package as installed for the tests. */
function installReal(name: string): void {
  const place = join(app, 'node_modules', name)
  onTestFinished(() => rmSync(place))
  symlinkSync(join(root, 'node_modules', name), place)
}

const keys = `k1:${'A'.repeat(43)}=`

/** The error or the warnings from opening a service. */
async function open(options: object): Promise<string> {
  const script = `
    import { createService } from 'second-factor/service'
    const logger = { info() {}, warn: (_details, message) => console.log(message), error() {} }
    createService({ logger, ...${JSON.stringify(options)} }).then(
      (service) => service.close(),
      (error) => console.log(error.name + ': ' + error.message),
    )`
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: app })
  return (await run).stdout.trim()
}

/** The output of the command on stderr when the driver of its database is missing. */
async function serve(): Promise<string> {
  const args = ['node_modules/second-factor/bin/second-factor.js', 'serve', '--database', 'postgres://127.0.0.1:9/x']
  const env = { ...process.env, MFA_KEYS: keys }
  const failed = await promisify(execFile)(process.execPath, args, { cwd: app, env }).catch((error: unknown) => error)
  return String(Reflect.get(Object(failed), 'stderr'))
}

describe('an optional package', () => {
  it('an optional package that a command needs is named before the command has done anything: age-encryption', async () => {
    installReal('better-sqlite3')
    const program = ['node_modules/second-factor/bin/second-factor.js']
    const database = ['--database', 'mfa.sqlite']
    await promisify(execFile)(process.execPath, [...program, 'init', ...database], { cwd: app })

    const args = [...program, 'factor', 'export', 'factors.age', ...database, '--recipient', 'age1x']
    const failed = promisify(execFile)(process.execPath, args, { cwd: app })

    await expect(failed).rejects.toMatchObject({
      code: 1,
      stderr: 'Exporting factors needs the package age-encryption: npm install age-encryption\n',
    })
    expect(readdirSync(app)).not.toContain('factors.age')
  })

  it.each([
    ['better-sqlite3', 'A SQLite database', { database: ':memory:' }],
    ['pg', 'A PostgreSQL database', { database: 'postgres://127.0.0.1:9/x', keys }],
  ])('an optional package that is missing is named together with its purpose: %s', async (name, purpose, options) => {
    expect(await open(options)).toBe(`SetupError: ${purpose} needs the package ${name}: npm install ${name}`)
  })

  it.each(['12.4.1', '13.1.9'])(
    'an optional package that is too old is not loaded, because it could crash: better-sqlite3 %s',
    async (version) => {
      install('better-sqlite3', version)

      expect(await open({ database: ':memory:' })).toBe(
        `SetupError: A SQLite database needs better-sqlite3 13.2 or newer, and ${version} is installed: npm install better-sqlite3@latest`,
      )
    },
  )

  it.each([
    ['nodemailer', '5.1.1', 'Sending mail', '6', { smtp: { host: '127.0.0.1', from: 'mfa@example.com' } }],
    ['prom-client', '13.2.0', 'The option metrics', '14', { metrics: {} }],
  ])(
    'an optional package that is too old causes an error with both versions: %s',
    async (name, version, purpose, oldest, options) => {
      install(name, version)

      expect(await open({ database: ':memory:', ...options })).toBe(
        `SetupError: ${purpose} needs ${name} ${oldest} or newer, and ${version} is installed: npm install ${name}@latest`,
      )
    },
  )

  it('an optional package that is too old but not required causes a warning: web-push', async () => {
    installReal('better-sqlite3')
    install('web-push', '2.2.2')

    expect(await open({ database: ':memory:' })).toBe(
      'no push messages: Sending push messages needs web-push 3.3 or newer, and 2.2.2 is installed: npm install web-push@latest',
    )
  })

  it('an optional package that fails to load but is not required causes a warning: web-push', async () => {
    installReal('better-sqlite3')
    install('web-push', '3.6.7', "throw new Error('is broken')")

    expect(await open({ database: ':memory:' })).toBe(
      'no push messages: Sending push messages needs web-push, and the installed 3.6.7 cannot be loaded: is broken',
    )
  })

  it('an optional package that is too old but not required causes a warning: pino', async () => {
    install('pino', '7.11.0')

    const [first = ''] = (await serve()).split('\n')

    expect(JSON.parse(first)).toMatchObject({
      level: 'warn',
      msg: 'Logging without pino. Logging with pino needs pino 8 or newer, and 7.11.0 is installed: npm install pino@latest',
    })
  })

  it('an optional package that is installed but fails to load causes an error with the reason', async () => {
    install('better-sqlite3', '13.2.0', "throw new Error('wrong ELF class\\nRequire stack: …')")

    expect(await open({ database: ':memory:' })).toBe(
      'SetupError: A SQLite database needs better-sqlite3, and the installed 13.2.0 cannot be loaded: wrong ELF class',
    )
  })
})
