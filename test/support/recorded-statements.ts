import { SqliteQueryCompiler } from 'kysely'
import type { RootOperationNode } from 'kysely'

import { statementNames } from '../../src/service/engine/database/statement.ts'

/** A statement as Kysely is given it: any dialect can compile it. */
export interface RecordedStatement {
  /** Of a statement that is declared; others are built by each call. */
  readonly name: string | undefined
  readonly sql: string
  readonly node: RootOperationNode
  /** Functions of `src/service/` that execute it, such as `features/users/statements.ts updateUser`, and its name. */
  readonly origins: Set<string>
  times: number
}

/** Stacks are slow to read, and a sweep executes the same statements thousands of times in a test. */
const stacksPerStatement = 1_000

/** Records every statement that is compiled for SQLite from now on. Without parameters it is the same statement. */
export function recordStatements() {
  const statements = new Map<string, RecordedStatement>()
  const places = new Map<string, Set<string>>()
  const { prototype } = SqliteQueryCompiler
  const original = Object.getOwnPropertyDescriptor(prototype, 'compileQuery')
  const inherited = Object.getPrototypeOf(prototype) as SqliteQueryCompiler
  prototype.compileQuery = function (node, queryId) {
    const compiled = inherited.compileQuery.call(this, node, queryId)
    const declared = statementNames().find((each) => each === queryId.queryId)
    const recorded = statements.get(declared ?? compiled.sql)
    const statement = recorded ?? { name: declared, sql: compiled.sql, node, origins: new Set(), times: 0 }
    statements.set(declared ?? compiled.sql, statement)
    statement.times += 1
    if (statement.times <= stacksPerStatement) {
      const frames = storeFrames()
      for (const { file, name } of frames) statement.origins.add(`${file} ${name}`)
      const [innermost] = frames
      if (declared !== undefined) statement.origins.add(declared)
      else if (innermost) places.set(innermost.file, (places.get(innermost.file) ?? new Set()).add(innermost.place))
    }
    return compiled
  }
  const stop = () => {
    if (original) Object.defineProperty(prototype, 'compileQuery', original)
    else Reflect.deleteProperty(prototype, 'compileQuery')
  }
  return {
    statements,
    /** In how many places of each file of the store statements were executed. */
    executedPlaces: (file: string): number => places.get(file)?.size ?? 0,
    stop,
  }
}

interface StoreFrame {
  readonly file: string
  readonly name: string
  readonly place: string
}

/** A statement is compiled in the turn in which the store executes it, so that the stack names the function. */
function storeFrames(): StoreFrame[] {
  const descriptor = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace')
  const { stackTraceLimit } = Error
  // As call sites: as text, each of them would be looked up in a source map, thousands of times in a test.
  Error.prepareStackTrace = (_, sites) => sites
  Error.stackTraceLimit = 40
  const holder: { stack?: NodeJS.CallSite[] } = {}
  Error.captureStackTrace(holder)
  const { stack = [] } = holder
  Reflect.deleteProperty(Error, 'prepareStackTrace')
  if (descriptor) Object.defineProperty(Error, 'prepareStackTrace', descriptor)
  Error.stackTraceLimit = stackTraceLimit
  return stack.flatMap((site) => {
    const [, file] =
      /\/src\/service\/((?:engine|features|upkeep)\/(?!.*\/database\/schema\/)[\w/-]+\.ts)/.exec(
        site.getFileName() ?? '',
      ) ?? []
    const name = site.getFunctionName()
    if (file === undefined || !name) return []
    return [{ file, name: name.replace(/^.*\./, ''), place: `${site.getLineNumber()}:${site.getColumnNumber()}` }]
  })
}
