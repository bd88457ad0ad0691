import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { describe, expect, it } from 'vitest'

import { requireNode } from '../src/ground/node-version.ts'
import { root } from '../scripts/run.ts'

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

  it.each([
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
