/** `npm run docs` generates docs/rest-interface.md from the contract and the titles of tests. */
import { readFile, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

import { operations, operationTitle } from '../src/contract/operations.ts'
import type { Operation } from '../src/contract/operations.ts'
import { filesBelow } from './fingerprint.ts'
import { table } from './markdown-table.ts'
import { root } from './run.ts'

export const restTablePath = 'docs/rest-interface.md'

const testFolder = 'test/service/features'

/** The tests of one operation. */
interface Covered {
  readonly file: string
  readonly rules: readonly string[]
}

/** The content of the document. @throws {Error} that names the operations without a test. */
export async function restTable(): Promise<string> {
  const covered = await coveredOperations()
  const bare = operations.filter(({ endpoint }) => !covered.get(operationTitle(endpoint))?.rules.length)
  if (bare.length > 0)
    throw new Error(`No test covers ${bare.map(({ endpoint }) => operationTitle(endpoint)).join(', ')}.`)
  const sections = [...Map.groupBy(operations, ({ section }) => section)]
  return [head, ...sections.map(([title, members]) => chapter(title, members, covered)), foot()].join('\n')
}

/** Finds each `operation('…')` and the titles of its tests. */
async function coveredOperations(): Promise<Map<string, Covered>> {
  const covered = new Map<string, Covered>()
  for (const path of await filesBelow(join(root, testFolder))) {
    if (!path.endsWith('.test.ts')) continue
    const [, ...blocks] = (await readFile(path, 'utf8')).split(/^operation\(/m)
    for (const block of blocks) {
      const title = /^'([^']+)'/.exec(block)?.[1] ?? ''
      const rules = Array.from(block.matchAll(/^ {2}(?:it|inFullRun)\(\s*'([^']+)'/gm), ([, rule = '']) => rule)
      covered.set(title, { file: relative(root, path).replaceAll(sep, '/'), rules })
    }
  }
  return covered
}

function chapter(title: string, members: readonly Operation[], covered: ReadonlyMap<string, Covered>): string {
  const rows = members.map((member) => row(member, covered))
  return [`## ${title}`, '', ...table([['Operation', 'What it does', 'Test'], ...rows]), ''].join('\n')
}

function row({ endpoint }: Operation, covered: ReadonlyMap<string, Covered>): string[] {
  const { file = '', rules = [] } = covered.get(operationTitle(endpoint)) ?? {}
  const since = endpoint.since ? ` Since ${endpoint.since}.` : ''
  return [`\`${operationTitle(endpoint)}\``, endpoint.summary + since, `${link(file)}: ${rules.join('; ')}`]
}

/** Of several files with the same name, the folder says which. */
const link = (path: string) => `[${path.replace(/^test\/service\/(features\/)?/, '')}](../${path})`

const head = `# REST interface

This page lists every operation with its tests. A running service documents the interface itself at \`/docs\`, and \`second-factor openapi\` prints
the OpenAPI document.

\`npm run docs\` generates this page from the contract and the titles of the tests. \`npm test\` fails if it is out of date.

- **Repeating a call**: operations that create something take the header \`Idempotency-Key\`, 1 to 255 visible ASCII characters. For ten minutes, the same call with the
  same key gets the first answer again, and creates nothing. Another content with the key is 422, and a call that is still running is 409 after some seconds.
- **Unknown outcome**: an error 503 with \`outcome: "unknown"\` means that the database has not said whether the change is stored. Repeat the call with its key, or read first.
- **Pages**: a list has pages by number, and in version 1.4 also by key. \`?after=\` is the first one; the header \`Link\` names the next one. Rows that are added or deleted
  meanwhile shift no other row.
- **Generated clients**: give the security scheme the whole header, such as \`Service key="…"\`, and send \`Accept: application/json; version=1.4\` with every call. Without
  Accept, a body of version 1.4 is answered in 1.4, and a GET in 1.3.
`

const general: readonly (readonly [what: string, folder: string, file: string])[] = [
  [
    'Every operation has one route, a method of the client, and an entry in OpenAPI',
    'test/contract',
    'operations.test.ts',
  ],
  ['Every error code, over HTTP', 'test/service', 'error-codes.test.ts'],
  ['Every transition of tokens, sessions and hardware tokens', 'test/service/features/sessions', 'transitions.test.ts'],
  ['Every limit, at its value and one above', 'test/service', 'limits.test.ts'],
  ['Old clients in Python, Java, PHP and C, byte for byte', 'test/service/engine/http', 'strict-clients.test.ts'],
  ['OPTIONS, HEAD, request ids, sizes, malformed HTTP', 'test/service/engine/http', 'manners.test.ts'],
  ['Slow clients are disconnected', 'test/service/engine/http', 'slow-clients.test.ts'],
  [
    '2,740 random requests (109,600 in the long run): no 5xx, and every error in the standard format',
    'test/service',
    'fuzz/fuzz.test.ts',
  ],
]

function foot(): string {
  const rows = general.map(([subject, folder, file]) => [subject, link(`${folder}/${file}`)])
  return ['## All operations', '', ...table([['What', 'Test'], ...rows]), ''].join('\n')
}

if (import.meta.main) await writeFile(join(root, restTablePath), await restTable())
