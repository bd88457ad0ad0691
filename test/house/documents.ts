import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

import { filesAddress } from '../../scripts/repository.ts'
import { root } from '../../scripts/run.ts'

/** A piece of TypeScript, JavaScript or of an nginx configuration in a document. */
export interface CodeBlock {
  readonly document: string
  /** Of its first line of code, from 1. */
  readonly line: number
  readonly code: string
  readonly language: string
  /** The file that it is a part of, or the whole of, as a comment above it says. */
  readonly file: string | undefined
}

/** What people read, from the root. */
export const documents = ['README.md', ...globSync('docs/*.md', { cwd: root }).sort()]

export function codeBlocks(document: string): CodeBlock[] {
  const text = readFileSync(join(root, document), 'utf8')
  return [...text.matchAll(/(?:<!-- (\S+) -->\n\n)?```(ts|js|nginx)\n([\s\S]*?)```/g)].map((match) => {
    const [whole, file, language = '', code = ''] = match
    const start = match.index + whole.length - code.length - '```'.length
    return { document, line: text.slice(0, start).split('\n').length, code, language, file }
  })
}

/** The files that a document links to, relative to it, or from the root with a slash. Code is no link. */
export function linksOf(markdown: string): string[] {
  const links = [...withoutCode(markdown).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link)
  return links.filter((link) => !/^[a-z]+:/.test(link))
}

/** Its links to headings: the file, empty for the document itself, and the name of the heading. */
export function headingLinksOf(markdown: string): { file: string; heading: string }[] {
  const links = withoutCode(markdown).matchAll(/\]\(([\w./-]*\.md)?#([^)\s]+)\)/g)
  return [...links].map(([, file = '', heading = '']) => ({ file, heading }))
}

/** The path from the root of a file that a document links to. */
export const targetOf = (document: string, link: string): string =>
  link.startsWith('/') ? link.slice(1) : normalize(join(dirname(document), link))

/** Links to files that the package does not contain lead to the repository: they are files as well. */
const withoutCode = (markdown: string) =>
  markdown
    .replaceAll(codeFence, '')
    .replaceAll(/`[^`\n]*`/g, '')
    .replaceAll(`](${filesAddress}`, '](/')

const codeFence = /^```.*?^```/gms

/** The names that headings have in links, as GitHub makes them. */
export function headingsOf(markdown: string): string[] {
  const headings = markdown.replaceAll(codeFence, '').matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}
