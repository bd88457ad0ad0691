import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'

/** An app of somebody else: the package as it is built, and what the app has installed beside it. */
let app: string

beforeAll(() => {
  app = mkdtempSync(join(tmpdir(), 'second-factor-optional-'))
  const modules = join(app, 'node_modules')
  mkdirSync(join(modules, 'second-factor'), { recursive: true })
  for (const part of ['dist', 'package.json'])
    cpSync(join(root, part), join(modules, 'second-factor', part), { recursive: true })
  const optional = new Set(['better-sqlite3', 'nodemailer', 'prom-client', 'pg', 'web-push', 'pino', 'second-factor'])
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('.') && !optional.has(name)) symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
})
afterAll(() => rmSync(app, { recursive: true }))

/** A version of a package that ends the process as soon as it is loaded, as native code of another Node does. */
function installCrashing(name: string, version: string): void {
  const folder = join(app, 'node_modules', name)
  mkdirSync(join(folder, 'lib'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, main: 'lib/index.js' }))
  writeFileSync(join(folder, 'lib/index.js'), 'process.abort()')
}

/** What opening a service says. */
async function open(options: object): Promise<string> {
  const script = `
    import { createService } from 'second-factor/service'
    createService(${JSON.stringify(options)}).then(() => console.log('open'), (error) => console.log(error.name + ': ' + error.message))`
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: app })
  return (await run).stdout.trim()
}

describe('an optional package', () => {
  it.each([
    ['better-sqlite3', 'A SQLite database', { database: ':memory:' }],
    ['pg', 'A PostgreSQL database', { database: 'postgres://127.0.0.1:9/x', keys: `k1:${'A'.repeat(43)}=` }],
  ])('that is missing is named, with what it is for: %s', async (name, purpose, options) => {
    expect(await open(options)).toBe(`SetupError: ${purpose} needs the package ${name}: npm install ${name}`)
  })

  it('that is too old is not loaded: the error names both versions', async () => {
    installCrashing('better-sqlite3', '12.4.1')

    expect(await open({ database: ':memory:' })).toBe(
      'SetupError: A SQLite database needs better-sqlite3 13 or newer, and 12.4.1 is installed: npm install better-sqlite3@latest',
    )
  })
})
