import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { root } from '../../../scripts/run.ts'

/**
 * How a code block of docs/operations.md is tested. Its fence says so: nothing or the words behind `sh` or the language.
 * - `run`: word for word in a shell. With `nodes` once for each node.
 * - `machine`: what changes the machine as a whole: each line must be one that `machine-lines.ts` knows.
 * - `postgres`: with the client programs of PostgreSQL.
 * - `java`: with the programs of Java, where they are installed.
 * - `file`: is the file that the comment above it names.
 * - `typed`: TypeScript, which `test/house/documents.test.ts` checks.
 */
export type BlockClass = 'run' | 'machine' | 'postgres' | 'java' | 'file' | 'typed'

export interface Block {
  readonly class: BlockClass
  /** Run once for each of the three nodes. */
  readonly nodes: boolean
  readonly code: string
  /** For `file`: its path from the root. */
  readonly file: string | undefined
  /** Headings above it, the nearest last. */
  readonly section: string
  /** Of its first line of code in the page, from 1. */
  readonly line: number
}

const page = readFileSync(join(root, 'docs/operations.md'), 'utf8')

/** @throws {Error} for a block that no test would look at. */
export function readBlocks(text = page): readonly Block[] {
  const lines = text.split('\n')
  const blocks: Block[] = []
  let section = ''
  for (let index = 0; index < lines.length; index += 1) {
    const heading = /^#{1,3} (.+)$/.exec(lines[index] ?? '')
    if (heading) section = heading[1] ?? ''
    const fence = /^```(.*)$/.exec(lines[index] ?? '')
    if (!fence) continue
    const end = lines.indexOf('```', index + 1)
    const code = lines.slice(index + 1, end).join('\n')
    const file = /^<!-- (\S+) -->$/.exec(lines[index - 2] ?? '')?.[1]
    blocks.push({ ...classify(fence[1] ?? '', index + 1), code, file, section, line: index + 2 })
    index = end
  }
  return blocks
}

const classes: Readonly<Record<string, Pick<Block, 'class' | 'nodes'>>> = {
  sh: { class: 'run', nodes: false },
  'sh nodes': { class: 'run', nodes: true },
  'sh machine': { class: 'machine', nodes: false },
  'sh nodes machine': { class: 'machine', nodes: true },
  'sh postgres': { class: 'postgres', nodes: false },
  'sh java': { class: 'java', nodes: false },
  'sh file': { class: 'file', nodes: false },
  'ini file': { class: 'file', nodes: false },
  'nginx file': { class: 'file', nodes: false },
  'yaml file': { class: 'file', nodes: false },
  'dockerfile file': { class: 'file', nodes: false },
  ts: { class: 'typed', nodes: false },
}

function classify(info: string, line: number): Pick<Block, 'class' | 'nodes'> {
  const properties = classes[info]
  if (!properties) throw new Error(`docs/operations.md:${line}: no test looks at a block of \`${info}\``)
  return properties
}

/** The blocks below one heading. @throws {Error} when there is none. */
export function blocksOf(section: string): readonly Block[] {
  const sectionBlocks = readBlocks().filter((block) => block.section === section)
  if (sectionBlocks.length === 0) throw new Error(`docs/operations.md has no commands below "${section}"`)
  return sectionBlocks
}

/** Sections that `npm test` follows. */
export const shortForm = {
  oneNode: [
    'Operations',
    'Install',
    'Start the service',
    'nginx and TLS',
    'Connect an app',
    'Health',
    'Metrics and alerts',
    'Backup',
    'Restore',
    'Upgrade',
  ],
  threeNodes: [
    'PostgreSQL',
    'Nodes',
    'nginx in front of three nodes',
    'Several processes on one machine',
    'Rolling restart and upgrade',
  ],
} as const

/** Sections that only `npm run test:long` follows: they wait for minutes, or need PostgreSQL's own programs. */
export const longForm = [
  'Keys',
  'Clock',
  'Key rotation on several nodes',
  'Backup of PostgreSQL',
  'PgBouncer',
  'Containers',
] as const
