import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, normalize } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { root } from '../../scripts/run.ts'
import { packedPackage } from '../support/packed-package.ts'
import { linksOf } from './documents.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

const { repository, homepage, bugs, peerDependencies } = JSON.parse(read('package.json')) as {
  repository: { url: string }
  homepage: string
  bugs: string
  peerDependencies: Readonly<Record<string, string>>
}

describe('package.json', () => {
  const address = repository.url.replace(/^git\+|\.git$/g, '')

  it('uses one repository for homepage and bugs', () => {
    expect(address).toMatch(/^https:\/\/github\.com\/[\w-]+\/second-factor$/)
    expect([homepage, bugs]).toEqual([`${address}#readme`, `${address}/issues`])
  })

  it('is the only file that names the repository', () => {
    const texts = globSync(['*.md', 'docs/**/*.md', 'src/**/*.{ts,tsx,html}', 'deploy/**/*.*'], { cwd: root })

    expect(texts.length).toBeGreaterThan(100)
    expect(texts.filter((path) => read(path).includes(address))).toEqual([])
  })
})

describe('npm install', () => {
  /** What apps have: a narrower range ends their installation with ERESOLVE. */
  const used = {
    '@simplewebauthn/server': 13,
    'better-sqlite3': 11,
    nodemailer: 6,
    passport: 0.5,
    pg: 8,
    pino: 8,
    'prom-client': 14,
    sax: 1.4,
    'web-push': 3,
  }

  it.each(Object.entries(used))('is not stopped by %s %d, or a newer one', (name, version) => {
    const [, oldest] = /^>=(\d+(?:\.\d+)?)$/.exec(peerDependencies[name] ?? '') ?? []

    expect(Number(oldest)).toBeLessThanOrEqual(version)
  })

  it('is not stopped by Express 4.18, or 5', () => {
    expect(peerDependencies['express']).toBe('>=4.18 <6')
  })
})

describe('the tarball', () => {
  // The registry resolves relative links of the README against `repository`; a reader of the installed package has the files.
  it('contains every file and picture that the README links to', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-tarball-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { files: packed } = await packedPackage(folder)
    const has = (link: string) => packed.some((path) => path === link || path.startsWith(`${link}/`))
    const linked = linksOf(read('README.md')).map((link) => normalize(link).replace(/\/$/, ''))

    expect(linked).toContain('docs/images/sign-in.png')
    expect(linked.filter((link) => !has(link))).toEqual([])
    expect(packed).toEqual(expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'dist/index.d.ts']))
    expect(packed.filter((path) => /^(src|test|scripts)\//.test(path))).toEqual([])
  })
})
