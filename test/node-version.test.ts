import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { describe, expect, it, onTestFinished } from 'vitest'

import { requireNode } from '../src/ground/node-version.ts'
import { root } from '../scripts/run.ts'
import { describeInFullRun, inFullRun } from './support/full-run.ts'

describe('a Node that is too old', () => {
  it.each(['16.20.2', '20.20.2', '22.11.0'])(
    'requireNode() names a Node that is too old, and the one that is needed: %s',
    (version) => {
      expect(() => requireNode('mfa()', version)).toThrow(
        new Error(`mfa() needs Node 22.12 or later; this is ${version}. Install a newer one.`),
      )
    },
  )

  it.each(['22.12.0', '22.14.1', '24.0.0'])('requireNode() accepts Node %s', (version) => {
    expect(() => requireNode('mfa()', version)).not.toThrow()
  })

  inFullRun.each([
    ['mfa()', "const { mfa } = await import('second-factor'); mfa({})"],
    ['embedded()', "const { embedded } = await import('second-factor/service'); embedded({ database: ':memory:' })"],
    ['createService()', "const { createService } = await import('second-factor/service'); await createService({})"],
    ['embedded()', "const { startTestService } = await import('second-factor/testing'); await startTestService()"],
  ])('%s refuses a Node that is too old before anything else', async (caller, script) => {
    const old = `Object.defineProperty(process.versions, 'node', { value: '20.9.0' })
      for (const name of ['Map.groupBy', 'Object.groupBy', 'Promise.withResolvers', 'Promise.try', 'Array.fromAsync', 'URL.parse']) {
        const [owner, member] = name.split('.')
        delete globalThis[owner][member]
      }
      delete globalThis.Iterator;`
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', old + script], { cwd: root })

    const { stderr } = await run.catch((failed: { stderr: string }) => failed)

    expect(stderr).toContain(`${caller} needs Node 22.12 or later; this is 20.9.0.`)
  })
})

describeInFullRun('the command, before anything of it is loaded', () => {
  /** Runs `bin/second-factor.js` where only this program is installed. */
  function run(args: readonly string[], { program, version = '24.0.0' }: { program?: string; version?: string }) {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-bin-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    mkdirSync(join(folder, 'dist/cli'), { recursive: true })
    if (program !== undefined) writeFileSync(join(folder, 'dist/cli/main.js'), program)
    const preload = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`
    const command = ['--import', preload, join(folder, 'bin/second-factor.js'), ...args]
    const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' })
    return { status, stderr }
  }

  it.each([
    ['a Node that is too old', { program: '', version: '20.20.2' }, 'needs Node 22.12 or later; this is 20.20.2'],
    ['a package that is not built', {}, 'is not built yet. Run: npm run build'],
    ['a missing package', { program: "import 'not-installed'" }, "Cannot find package 'not-installed'"],
  ])('ask exits with 3 for %s, because 1 is a denied action', (_what, installed, message) => {
    const [ask, other] = [run(['ask', '--title', 'Deploy'], installed), run(['doctor'], installed)]

    expect([ask.status, other.status]).toEqual([3, 1])
    expect(ask.stderr).toContain(message)
  })
})
