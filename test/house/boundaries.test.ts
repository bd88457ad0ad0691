import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { afterEach, describe, expect, it } from 'vitest'

import { findViolations } from '../../scripts/boundaries.ts'
import { filesBelow } from '../../scripts/fingerprint.ts'
import { root } from '../../scripts/run.ts'
import { inFullRun } from '../support/full-run.ts'

/** Texts, examples and the schema. */
const tables = /\/texts\/|\/openapi\/[\w-]*examples\.ts$|\/database\/schema\/(0001-)?schema\.ts$/

const folders: string[] = []

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

describe('the boundaries', () => {
  // `npm test` checks this in a step of its own.
  inFullRun('this repository violates no import boundary', async () => {
    expect(await findViolations(root)).toEqual([])
  })

  it('no source file has more than 350 lines, except tables of data', async () => {
    const paths = [...(await filesBelow(join(root, 'src')))].filter(
      (path) => /\.tsx?$/.test(path) && !tables.test(path),
    )

    const lengths = await Promise.all(paths.map(async (path) => (await readFile(path, 'utf8')).split('\n').length - 1))

    expect(paths.filter((_, index) => (lengths[index] ?? 0) > 350)).toEqual([])
  })

  it.each([
    [
      'the contract imports no other folder',
      'src/contract/a.ts',
      `import '../client/b.ts'`,
      'contract must not import client',
    ],
    ['the client imports only the contract', 'src/client/a.ts', `import '../express/b.ts'`, 'client must not import'],
    ['a challenge does not use Express', 'src/challenge/a.ts', `import '../express/b.ts'`, 'challenge must not import'],
    [
      'express does not use Passport',
      'src/express/a.ts',
      `import '../passport/b.ts'`,
      'express must not import passport',
    ],
    ['express never imports the service', 'src/express/a.ts', `import '../service/b.ts'`, 'must not import service'],
    ['the service never imports the client', 'src/service/a.ts', `import '../client/b.ts'`, 'must not import client'],
    [
      'the device core does not import the authenticator',
      'src/device/a.ts',
      `import '../authenticator/b.ts'`,
      'device must not import',
    ],
    [
      'the challenge script imports the contract',
      'src/browser/a.ts',
      `import '../client/b.ts'`,
      'must not import client',
    ],
    [
      'the authenticator does not import the client',
      'src/authenticator/a.tsx',
      `import '../client/b.ts'`,
      'must not import client',
    ],
    [
      'the console does not import the device core',
      'src/console/a.tsx',
      `import '../device/b.ts'`,
      'console must not import device',
    ],
    [
      'what browser apps share is not about one',
      'src/ui/a.tsx',
      `import '../console/b.ts'`,
      'ui must not import console',
    ],
    [
      'what is open to all imports nothing',
      'src/ground/clock.ts',
      `import '../contract/b.ts'`,
      'ground must not import contract',
    ],
    [
      'type imports follow the arrows',
      'src/client/a.ts',
      `import type { B } from '../express/b.ts'`,
      'must not import',
    ],
    ['re-exports follow the arrows', 'src/client/a.ts', `export * from '../express/b.ts'`, 'must not import'],
    ['dynamic imports follow the arrows', 'src/client/a.ts', `await import('../express/b.ts')`, 'must not import'],
    ['the contract imports only zod', 'src/contract/a.ts', `import 'node:crypto'`, 'the contract is data'],
    ['so does the contract of the console', 'src/admin-contract/a.ts', `import 'node:crypto'`, 'the contract is data'],
    [
      'an app knows nothing of the console',
      'src/express/a.ts',
      `import '../admin-contract/b.ts'`,
      'express must not import admin-contract',
    ],
    ['the device core runs in browsers', 'src/device/a.ts', `import 'node:fs'`, 'runs in browsers'],
    ['a challenge uses neither req nor res', 'src/challenge/a.ts', `import 'express'`, 'only the outer folders'],
    ['rules do not use SQL', 'src/service/features/users/rules.ts', `import 'kysely'`, 'neither HTTP nor SQL'],
    [
      'rules do not use statements',
      'src/service/features/users/name-rules.ts',
      `import './statements.ts'`,
      'neither HTTP nor SQL',
    ],
    [
      'only the service uses databases',
      'src/express/a.ts',
      `import 'better-sqlite3'`,
      'only the service uses databases',
    ],
    ['only passport/ uses Passport', 'src/express/a.ts', `import 'passport'`, 'only passport/ uses Passport'],
    [
      'only the authenticator and the console use Preact',
      'src/browser/a.ts',
      `import 'preact'`,
      'only the authenticator and the console',
    ],
    [
      'one file saves the web session',
      'src/express/sign-in/a.ts',
      `import { readMfaState, putMfaState } from '../session/session-state.ts'`,
      'imports putMfaState, but only express/apply.ts',
    ],
    [
      'one file detaches the web session',
      'src/passport/a.ts',
      `import * as webSession from '../express/session/web-session.ts'`,
      'only express/apply.ts',
    ],
    [
      'no other file re-exports what saves the web session',
      'src/express/a.ts',
      `export { saveUnderNewId as renew } from './session/web-session.ts'`,
      'imports saveUnderNewId, but',
    ],
    ['one file opens the store', 'src/service/a.ts', `import './engine/database/sqlite.ts'`, 'opens a concrete store'],
    [
      'leaves never import an index',
      'src/client/a.ts',
      `import '../contract/index.ts'`,
      'import the file that declares the name',
    ],
    ['an index only re-exports', 'src/client/index.ts', `export const a = 1`, 'an index.ts only re-exports'],
    ['the package does not import itself', 'src/cli/a.ts', `import 'second-factor'`, 'by path'],
    ['an app uses the name of the package', 'example-app/a.ts', `import '../src/index.ts'`, 'by its name'],
  ])('the boundaries enforce that %s', async (_rule, path, code, problem) => {
    const base = await fixture({ [path]: `\n${code}\n` })

    const violations = await findViolations(base)

    expect(violations).toEqual([expect.stringContaining(`${path}:2: `)])
    expect(violations[0]).toContain(problem)
  })

  it('a circular import is reported once', async () => {
    const base = await fixture({
      'src/client/a.ts': `import './b.ts'`,
      'src/client/b.ts': `import './c.ts'`,
      'src/client/c.ts': `import './a.ts'`,
    })

    const violations = await findViolations(base)

    expect(violations).toEqual([
      'src/client/a.ts:1: circular import: src/client/a.ts → src/client/b.ts → src/client/c.ts → src/client/a.ts',
      'circle: src/client/a.ts src/client/b.ts src/client/c.ts',
    ])
  })

  it.each([
    [
      'the engine imports no feature',
      { 'src/service/engine/http/a.ts': `import type { B } from '../../features/users/b.ts'` },
      'order: src/service/engine/http/a.ts → src/service/features/users/b.ts',
    ],
    [
      'a feature imports only those before it',
      { 'src/service/features/users/a.ts': `import '../people/b.ts'` },
      'order: src/service/features/users/a.ts → src/service/features/people/b.ts',
    ],
    [
      'a feature has a place in the order',
      { 'src/service/engine/http/a.ts': `import '../../features/fashion/b.ts'` },
      'order: src/service/engine/http/a.ts → src/service/features/fashion/b.ts',
    ],
    [
      'a feature does not import the lists of all operations',
      { 'src/service/features/users/a.ts': `import '../../routes/b.ts'` },
      'order: src/service/features/users/a.ts → src/service/routes/b.ts',
    ],
    [
      'folders beside each other do not import each other, not even types',
      {
        'src/express/pages/a.ts': `import '../session/b.ts'`,
        'src/express/session/b.ts': `import type { A } from '../pages/c.ts'`,
      },
      'siblings: src/express: pages ↔ session',
    ],
    [
      'a folder does not import the files beside it',
      { 'src/express/pages/a.ts': `import '../options.ts'` },
      'loose: src/express: pages → files beside it',
    ],
    [
      'files do not import types in a circle',
      {
        'src/client/a.ts': `import './b.ts'`,
        'src/client/b.ts': `import type { C } from './c.ts'`,
        'src/client/c.ts': `import type { A } from './a.ts'`,
      },
      'circle: src/client/a.ts src/client/b.ts src/client/c.ts',
    ],
  ])('the boundaries enforce the order of folders and files: %s', async (_rule, files, violation) => {
    const base = await fixture(files)

    expect(await findViolations(base)).toEqual([violation])
  })

  it.each([
    ['a neighbour', 'src/client/a.ts', `import './b.ts'`],
    ['down the arrows', 'src/passport/a.ts', `import '../contract/b.ts'`],
    [
      'the web session to be saved, from apply.ts',
      'src/express/apply.ts',
      `import { saveMfaState } from './session/web-session.ts'`,
    ],
    ['the web session to be read', 'src/express/a.ts', `import { readMfaState } from './session/session-state.ts'`],
    ['the clock', 'src/contract/a.ts', `import '../ground/clock.ts'`],
    ['the store, from open-core.ts', 'src/service/open-core.ts', `import './engine/database/sqlite.ts'`],
    ['anything, from the command line', 'src/cli/a.ts', `import '../service/b.ts'\nimport '../device/b.ts'`],
    [
      'what an index re-exports',
      'src/index.ts',
      `export { a } from './express/b.ts'\nexport type * from './client/b.ts'`,
    ],
    ['a type of its own', 'src/client/a.ts', `import type { A } from './a.ts'`],
    ['an import in a comment or string', 'src/contract/a.ts', `// import 'node:fs'\nconst a = "import 'express'"`],
  ])('the boundaries allow %s', async (_what, path, code) => {
    const base = await fixture({ [path]: code })

    expect(await findViolations(base)).toEqual([])
  })
})

async function fixture(files: Readonly<Record<string, string>>): Promise<string> {
  const base = await mkdtemp(join(tmpdir(), 'boundaries-'))
  folders.push(base)
  for (const [path, code] of Object.entries(files)) {
    await mkdir(dirname(join(base, path)), { recursive: true })
    await writeFile(join(base, path), code)
  }
  return base
}
