import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { consoleTable, consoleTablePath } from '../../scripts/console-table.ts'
import { restTable, restTablePath } from '../../scripts/rest-table.ts'
import { root } from '../../scripts/run.ts'

it('docs/rest-interface.md is up to date: npm run docs', async () => {
  expect(await readFile(join(root, restTablePath), 'utf8')).toBe(await restTable())
})

it('docs/console-interface.md is up to date: npm run docs', async () => {
  expect(await readFile(join(root, consoleTablePath), 'utf8')).toBe(consoleTable())
})
