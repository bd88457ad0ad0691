import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { isInterfaceDeclaration } from 'typescript/unstable/ast/is'
import type { Type } from 'typescript/unstable/sync'
import { describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { knownMigrations } from '../../src/service/engine/database/schema/known-migrations.ts'
import { openSqliteStore } from '../../src/service/engine/database/sqlite.ts'
import { withSources } from './compiler.ts'

const folder = join(root, 'src/service/engine/database/schema')

describe('the schema of the database', () => {
  /*
   * A column needs four files: schema.ts has its type, a new file the statements that add it, migrations.ts lists that file, and
   * known-migrations.ts has its hash.
   */
  it('schema.ts and the migrations have the same columns', async () => {
    const typed = typedColumns()
    const migrated = await migratedColumns()

    expect(migrated.length).toBeGreaterThan(400)
    expect(typed.filter((column) => !migrated.includes(column))).toEqual([])
    expect(migrated.filter((column) => !typed.includes(column))).toEqual([])
  }, 120_000)

  it('each file of a migration is listed in migrations.ts and known-migrations.ts', async () => {
    const names = (await readdir(folder)).filter((name) => /^\d{4}-/.test(name)).map((name) => name.replace('.ts', ''))

    expect(knownMigrations.map(({ name }) => name)).toEqual(names.toSorted())
  })
})

/** Of the search alone: each database has its own. */
const isOfSearch = (column: string): boolean => /^(searchEntry|userSearch)/.test(column)

/** As `Database` of schema.ts says: `table.column`. */
const typedColumns = (): string[] =>
  withSources(root, ({ checker, program }) => {
    const declaration = program.getSourceFile(join(folder, 'schema.ts'))?.statements.find(isInterfaceDeclaration)
    if (declaration?.name.text !== 'Database') throw new Error('schema.ts does not declare Database first.')
    const membersOf = (type: Type | undefined) => (type ? checker.getPropertiesOfType(type) : [])
    return membersOf(checker.getTypeAtLocation(declaration.name))
      .flatMap((table) => membersOf(checker.getTypeOfSymbol(table)).map((column) => `${table.name}.${column.name}`))
      .filter((column) => !isOfSearch(column))
  })

/** As the migrations make them. */
async function migratedColumns(): Promise<string[]> {
  const store = await openSqliteStore(':memory:')
  try {
    const tables = await store.db.introspection.getTables()
    return tables
      .flatMap(({ name, columns }) => columns.map((column) => camelCase(`${name}.${column.name}`)))
      .filter((column) => !isOfSearch(column))
  } finally {
    await store.close()
  }
}

const camelCase = (name: string): string => name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
