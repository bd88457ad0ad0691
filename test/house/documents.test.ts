import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { codeBlocks, documents } from './documents.ts'

const run = promisify(execFile)
const blocks = documents.flatMap(codeBlocks)

describe('the code in the documents', () => {
  it.each(blocks.filter(({ file }) => file !== undefined))(
    'the code at $document:$line is in $file',
    async ({ file = '', code }) => {
      // From the beginning of a line to the end of one.
      expect(`\n${await readFile(join(root, file), 'utf8')}`).toContain(`\n${code}`)
    },
  )

  it('each web session in the documents and examples has a cookie that is not sent with forms of other sites', async () => {
    const files = [...documents, 'llms.txt', ...globSync('examples/**/*.{js,ts}', { cwd: root })]
    const texts = await Promise.all(
      files.map(async (file) => [file, await readFile(join(root, file), 'utf8')] as const),
    )
    const sessions = (text: string) => text.split('saveUninitialized: false').length - 1
    const protectedSessions = (text: string) => text.split(/cookie: \{[^}]*sameSite: 'lax'[^}]*\}/).length - 1

    const withSessions = texts.filter(([, text]) => sessions(text) > 0)

    expect(withSessions.length).toBeGreaterThan(20)
    expect(withSessions.filter(([, text]) => protectedSessions(text) < sessions(text)).map(([file]) => file)).toEqual(
      [],
    )
  })

  it('code in the documents is part of a file that runs, unless it is type-checked', () => {
    expect(blocks.filter(({ language, file }) => language !== 'ts' && !file)).toEqual([])
  })

  it('TypeScript code in the documents compiles', { timeout: 120_000 }, async () => {
    await mkdir(join(root, 'reports'), { recursive: true })
    // Below the repository, so that packages are found.
    const folder = await mkdtemp(join(root, 'reports/documents-'))
    try {
      const own = blocks.filter(({ file }) => file === undefined)
      // At the lines it has in the document, so that errors point there.
      for (const { document, line, code } of own) {
        const name = `${document.replaceAll('/', '-')}-${line}.ts`
        await writeFile(join(folder, name), `${'\n'.repeat(line - 1)}${code}\nexport {}\n`)
      }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project))

      const { stdout } = await run(process.execPath, [
        join(root, 'node_modules/typescript/bin/tsc'),
        '-p',
        folder,
      ]).catch((failed: { stdout: string }) => failed)

      expect(own.length).toBeGreaterThan(5)
      expect(stdout.replaceAll(/^.*\/(?=[^/]+\.md-)/gm, '')).toBe('')
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

/** As a reader's project is: the package as it is built, and the names that the documents take for granted. */
const project = {
  extends: '../../tsconfig.json',
  compilerOptions: { paths: {}, noUnusedLocals: false, noUnusedParameters: false },
  include: ['*.ts', '../../test/house/documents-globals.d.ts'],
}

describe('the example for node:test', () => {
  // By the package as it is built, as theirs will.
  it('the example for node:test passes with node --test', async () => {
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', 'examples/testing/node-test.ts'], {
      cwd: root,
    })

    expect(stdout).toContain('# pass 2')
    expect(stdout).toContain('# fail 0')
  })
})
