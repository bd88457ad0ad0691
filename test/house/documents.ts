import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { root } from '../../scripts/run.ts'

/** A piece of TypeScript in a document. */
export interface CodeBlock {
  readonly document: string
  /** Of its first line of code, from 1. */
  readonly line: number
  readonly code: string
  /** The file that it is said to be, in a comment above it. */
  readonly file: string | undefined
}

/** What people read, from the root. */
export const documents = ['README.md', ...globSync('docs/*.md', { cwd: root }).sort()]

export function codeBlocks(document: string): CodeBlock[] {
  const text = readFileSync(join(root, document), 'utf8')
  return [...text.matchAll(/(?:<!-- (\S+) -->\n\n)?```ts\n([\s\S]*?)```/g)].map((found) => {
    const [whole, file, code = ''] = found
    const start = found.index + whole.length - code.length - '```'.length
    return { document, line: text.slice(0, start).split('\n').length, code, file }
  })
}
