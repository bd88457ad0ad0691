import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

const { engines, scripts } = JSON.parse(read('package.json')) as {
  engines: { node: string }
  scripts: Readonly<Record<string, string>>
}
const workflows = ['check', 'release'].map((name) => read(`.github/workflows/${name}.yml`)).join('\n')

describe('the workflows', () => {
  it('the workflows run scripts that exist', () => {
    const files = [...workflows.matchAll(/\b(scripts\/[\w-]+\.m?[jt]s)|\.ci\/\w+/g)].map(([file]) => file)
    const named = [...workflows.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name)

    expect(files).toContain('.ci/run')
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })

  it('the workflows run the long tests on each change, and before a release', () => {
    const runs = ['check', 'release'].map((name) => read(`.github/workflows/${name}.yml`).includes('npm run test:full'))

    expect(runs).toEqual([true, true])
  })

  it('the workflows try the package on the oldest Node that it supports', () => {
    const [, versions = ''] = /^ +node: \[(.+)\]$/m.exec(workflows) ?? []

    expect(versions.split(', ')[0]).toBe(`'${engines.node.replace('>=', '')}'`)
  })

  it('the workflows publish nothing before they are switched on, and hold no token of the registry', () => {
    expect(read('.github/workflows/release.yml')).toMatch(/^ {2}publish:\n {4}if: vars\.PUBLISH == 'yes'$/m)
    expect(workflows).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN|secrets\./)
  })
})

it('the form of a pull request names the commit types of CONTRIBUTING.md', () => {
  const typesIn = (text: string) => [...text.matchAll(/`(\w+):(?: …)?`/g)].map(([, type]) => type)
  const [, line = ''] = /^11\. (.+)$/m.exec(read('CONTRIBUTING.md')) ?? []

  expect(typesIn(line)).toContain('perf')
  expect(typesIn(read('.github/pull_request_template.md'))).toEqual(typesIn(line))
})
