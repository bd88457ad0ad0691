/** `npm run docs`: docs/console-interface.md, from the contract of the console. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { adminOperations } from '../src/admin-contract/operations.ts'
import { operationTitle } from '../src/contract/operations.ts'
import type { Operation } from '../src/contract/operations.ts'
import { callersOf } from '../src/service/engine/openapi/operation.ts'
import { table } from './markdown-table.ts'
import { root } from './run.ts'

export const consoleTablePath = 'docs/console-interface.md'

/** The content of the document. */
export function consoleTable(): string {
  const sections = [...Map.groupBy(adminOperations, ({ section }) => section)]
  return [head, ...sections.map(([title, members]) => chapter(title, members))].join('\n')
}

function chapter(title: string, members: readonly Operation[]): string {
  const rows = members.map(({ endpoint }) => [
    `\`${operationTitle(endpoint)}\``,
    endpoint.summary,
    endpoint.admin ? callersOf(endpoint.method, endpoint.admin) : '',
  ])
  return [`## ${title}`, '', ...table([['Operation', 'What it does', 'Who may call it'], ...rows]), ''].join('\n')
}

const head = `# REST interface of the console

This page lists every operation of the [console](console.md), below \`/console/api\`. \`second-factor openapi --console\` prints the OpenAPI
document. A test ([access.test.ts](../test/service/features/administrators/access.test.ts)) calls each operation in each role, with ids of the own domain, of another
domain and of another organization, and for the administrator's own record.

\`npm run docs\` generates this page from the contract. \`npm test\` fails if it is out of date.
`

if (import.meta.main) await writeFile(join(root, consoleTablePath), consoleTable())
