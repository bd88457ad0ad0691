import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { filesAddress, repositoryAddress } from '../../scripts/repository.ts'
import { root } from '../../scripts/run.ts'
import { packedPackage } from '../support/packed-package.ts'
import type { PackedPackage } from '../support/packed-package.ts'
import { linksOf, targetOf } from './documents.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

const { homepage, bugs, peerDependencies } = JSON.parse(read('package.json')) as {
  homepage: string
  bugs: string
  peerDependencies: Readonly<Record<string, string>>
}

describe('package.json', () => {
  it('package.json uses one repository for homepage and bugs', () => {
    expect(repositoryAddress).toMatch(/^https:\/\/github\.com\/[\w-]+\/second-factor$/)
    expect([homepage, bugs]).toEqual([`${repositoryAddress}#readme`, `${repositoryAddress}/issues`])
  })

  it('all links to files of the repository use the address in package.json, and nothing else names it', () => {
    const named = /https?:\/\/[\w.]+\/[\w-]+\/second-factor\b(?:\/blob\/\w+\/)?/g
    const patterns = ['*.md', 'llms.txt', 'docs/**/*.md', '.github/**/*.*', 'src/**/*.{ts,tsx,html}', 'deploy/**/*.*']
    const texts = globSync(patterns, { cwd: root }).filter((path) => statSync(join(root, path)).isFile())
    const addressesIn = (path: string) => (read(path).match(named) ?? []).map((address) => ({ path, address }))

    const addresses = texts.flatMap(addressesIn)
    expect(addresses.length).toBeGreaterThan(30)
    // A form of the repository has an address, too.
    const expected = (path: string) => (path.startsWith('.github') ? repositoryAddress : filesAddress)
    expect(addresses.filter(({ path, address }) => address !== expected(path))).toEqual([])
    expect(addresses.filter(({ path }) => !/\.(md|txt)$|^\.github/.test(path))).toEqual([])
  })
})

describe('npm install', () => {
  // A narrower range ends an installation with ERESOLVE, also for a package that the app uses for something else.
  it('npm install is not stopped by any version of a package that apps may leave out', () => {
    const { express, ...others } = peerDependencies

    expect(Object.entries(others).filter(([, range]) => range !== '*')).toEqual([])
    expect(express).toBe('>=4.16 <6')
  })
})

describe('the types', () => {
  it('the types need no package but zod, which is installed, and the types of the framework', () => {
    const importedBy = (pattern: string) =>
      globSync(pattern, { cwd: root }).flatMap((path) =>
        [...read(path).matchAll(/from ["']([^."'][^"']*)["']/g)].map(([, name]) => name ?? ''),
      )
    const packagesOf = (pattern: string) => new Set(importedBy(pattern).filter((name) => !name.startsWith('node:')))

    expect(packagesOf('dist/fastify/*.d.ts')).toEqual(new Set(['fastify']))
    expect(packagesOf('dist/!(fastify)/**/*.d.ts')).toEqual(new Set(['express', 'zod']))
  })
})

describe('the tarball', () => {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-tarball-'))
  let packed: PackedPackage
  beforeAll(async () => {
    packed = await packedPackage(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('the tarball has less than 1.2 MB and 400 files', () => {
    expect(packed.size).toBeLessThan(1_200_000)
    expect(packed.files.length).toBeLessThan(400)
  })

  it('the tarball contains what is run and read, but no sources and nothing that only contributors read', () => {
    expect(packed.files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/index.d.ts']))
    const excludedPaths =
      /^(src|test|scripts|bench)\/|^docs\/(images|decisions|guarantees|threat-model|performance)|\.gz$/
    expect(packed.files.filter((path) => excludedPaths.test(path))).toEqual([])
  })

  // Hosts and the registry show relative pictures from the repository.
  it('the tarball contains every file that its documents link to by a relative link, except pictures', () => {
    const has = (target: string) => packed.files.some((path) => path === target || path.startsWith(`${target}/`))
    const documents = packed.files.filter((path) => /^[^/]+\.(md|txt)$|^(docs|examples)\/.*\.md$/.test(path))
    const missing = documents.flatMap((document) =>
      linksOf(read(document))
        .filter((link) => !link.startsWith('/') && !/\.(png|svg)$/.test(link))
        .map((link) => targetOf(document, link).replace(/\/$/, ''))
        .filter((target) => !has(target))
        .map((target) => `${document} → ${target}`),
    )

    expect(documents).toContain('docs/mfa.md')
    expect(missing).toEqual([])
  })
})
