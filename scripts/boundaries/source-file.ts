import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'

import { parseSync } from 'vite'

/** One import or re-export of a source file. */
export interface Import {
  /** The path as written in the source, such as `../clock.ts` or `zod`. */
  readonly specifier: string
  /** Path from the root for a relative specifier; undefined for packages. */
  readonly target: string | undefined
  /** The imported names, as the other file calls them; `*` for everything. */
  readonly names: readonly string[]
  /** Whether it is `import type` or `export type`, which compilation removes. */
  readonly typeOnly: boolean
  /** Whether it is a dynamic import: `await import(…)`. */
  readonly lazy: boolean
  readonly line: number
}

export interface SourceFile {
  /** The path from the root, with slashes. */
  readonly path: string
  readonly imports: readonly Import[]
  /** Lines of statements other than re-exports. */
  readonly ownStatements: readonly number[]
}

/** @param path From the root, with slashes. */
export async function readSourceFile(root: string, path: string): Promise<SourceFile> {
  const code = await readFile(join(root, path), 'utf8')
  const { program, module, errors } = parseSync(path, code)
  if (errors[0]) throw new SyntaxError(`${path}: ${errors[0].message}`)
  const lineAt = (offset: number) => code.slice(0, offset).split('\n').length
  const imports: Import[] = []
  const ownStatements: number[] = []

  for (const statement of program.body) {
    const reExport = statement.type === 'ExportAllDeclaration' || statement.type === 'ExportNamedDeclaration'
    if (!reExport || !statement.source) ownStatements.push(lineAt(statement.start))
    if (!reExport && statement.type !== 'ImportDeclaration') continue
    if (!statement.source) continue
    const kind = reExport ? statement.exportKind : statement.importKind
    const where = { typeOnly: kind === 'type', lazy: false, line: lineAt(statement.start) }
    imports.push({ ...named(path, statement.source.value), names: namesIn(statement), ...where })
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const specifier = code.slice(moduleRequest.start + 1, moduleRequest.end - 1)
    const where = { typeOnly: false, lazy: true, line: lineAt(moduleRequest.start) }
    imports.push({ ...named(path, specifier), names: ['*'], ...where })
  }
  return { path, imports, ownStatements }
}

function named(path: string, specifier: string): Pick<Import, 'specifier' | 'target'> {
  const target = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined
  return { specifier, target }
}

type Statement = ReturnType<typeof parseSync>['program']['body'][number]

function namesIn(statement: Statement): string[] {
  if (statement.type !== 'ImportDeclaration' && statement.type !== 'ExportNamedDeclaration') return ['*']
  return statement.specifiers.map((specifier) => {
    if (specifier.type === 'ImportSpecifier') return nameOf(specifier.imported)
    return specifier.type === 'ExportSpecifier' ? nameOf(specifier.local) : '*'
  })
}

const nameOf = (name: { readonly name: string } | { readonly value: string }): string =>
  'name' in name ? name.name : name.value
