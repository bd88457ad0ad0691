import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { filesBelow } from '../../scripts/fingerprint.ts'
import { root } from '../../scripts/run.ts'
import { headingLinksOf, headingsOf, linksOf, targetOf } from './documents.ts'

/** Such as `src/express/gate.ts`. */
const sourceFile = /`((?:src|test|scripts|deploy|bench|examples|example-app)\/[\w./-]+\.\w+)`/g

describe('the documents', () => {
  it('documents link only to files that exist', async () => {
    const broken: string[] = []
    for (const [page, targets] of await linksFrom('README.md')) {
      broken.push(...targets.filter((target) => !existsSync(join(root, target))).map((target) => `${page} → ${target}`))
    }

    expect(broken).toEqual([])
  })

  it('documents link only to headings that exist', async () => {
    const broken: string[] = []
    for (const page of (await linksFrom('README.md')).keys()) {
      for (const { file, heading } of headingLinksOf(await readFile(join(root, page), 'utf8'))) {
        const target = file === '' ? page : targetOf(page, file)
        const headings = headingsOf(await readFile(join(root, target), 'utf8'))
        if (!headings.includes(heading)) broken.push(`${page} → ${target}#${heading}`)
      }
    }

    expect(broken).toEqual([])
  })

  it('documents name only source files that exist', async () => {
    // Guarantees name tests without their folder `test/`.
    const exists = (path: string) => existsSync(join(root, path)) || existsSync(join(root, 'test', path))
    const missing: string[] = []
    for (const page of (await linksFrom('README.md')).keys()) {
      const named = (await readFile(join(root, page), 'utf8')).matchAll(sourceFile)
      missing.push(...[...named].filter(([, path = '']) => !exists(path)).map(([, path]) => `${page} → ${path}`))
    }

    expect(missing).toEqual([])
  })

  it('comments name only source files that exist', async () => {
    const sources = (await filesBelow(join(root, 'src'))).filter((path) => /\.(tsx?|eta|css)$/.test(path))
    const missing: string[] = []
    for (const path of sources) {
      for (const [, named = ''] of (await readFile(path, 'utf8')).matchAll(
        /^ *(?:\/\*\*|\*|\/\/).*?`([\w/-]+\.tsx?)`/gm,
      )) {
        if (![...sources, join(root, named)].some((each) => each.endsWith(`/${named}`) && existsSync(each))) {
          missing.push(`${path.slice(root.length)} → ${named}`)
        }
      }
    }

    expect(missing).toEqual([])
  })

  it('docs/README.md lists all documents', async () => {
    const pages = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md') && name !== 'README.md')
    const text = await readFile(join(root, 'docs/README.md'), 'utf8')
    const index = linksOf(text).map((link) => targetOf('docs/README.md', link))

    expect(pages.filter((page) => !index.includes(`docs/${page}`))).toEqual([])
  })

  it('llms.txt links only to documents that exist', async () => {
    const targets = linksOf(await readFile(join(root, 'llms.txt'), 'utf8')).map((link) => targetOf('llms.txt', link))

    expect(targets.length).toBeGreaterThan(10)
    expect(targets.filter((target) => !existsSync(join(root, target)))).toEqual([])
  })

  it('all documents are reachable from the README', async () => {
    const reached = new Set((await linksFrom('README.md')).keys())
    const docs = await readdir(join(root, 'docs'), { recursive: true })
    const pages = docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)

    expect([...pages, 'CONTRIBUTING.md', 'SECURITY.md'].filter((page) => !reached.has(page))).toEqual([])
  })
})

describe('the decisions', () => {
  it('the decisions are numbered without gaps, and repeat the number in their titles', async () => {
    const names = (await readdir(join(root, 'docs/decisions'))).filter((name) => name !== 'README.md').sort()
    const titles = await Promise.all(names.map((name) => readFile(join(root, 'docs/decisions', name), 'utf8')))

    const numbers = names.map((_name, index) => String(index + 1).padStart(4, '0'))
    expect(names.map((name) => name.slice(0, 4))).toEqual(numbers)
    expect(titles.map((text) => text.slice(0, 7))).toEqual(numbers.map((number) => `# ${number}:`))
  })
})

/** Every page that can be reached from one, with the files of the repository that it links to. */
async function linksFrom(start: string): Promise<Map<string, readonly string[]>> {
  const linksByPage = new Map<string, readonly string[]>()
  const open = [start]
  for (const page of open) {
    if (linksByPage.has(page) || !existsSync(join(root, page))) continue
    const targets = linksOf(await readFile(join(root, page), 'utf8')).map((link) => targetOf(page, link))
    linksByPage.set(page, targets)
    open.push(...targets.filter((target) => target.endsWith('.md')))
  }
  return linksByPage
}
