import { createHash } from 'node:crypto'

import { OperationNodeTransformer, OperatorNode, PostgresAdapter, RawNode, ValueListNode, ValueNode } from 'kysely'
import type {
  BinaryOperationNode,
  Compilable,
  CompiledQuery,
  DatabaseConnection,
  Expression,
  OperationNode,
  PrimitiveValueListNode,
  QueryResult,
  RootOperationNode,
} from 'kysely'

import type { Queryable } from './schema/schema.ts'
import { connectionOf } from './transaction-ends.ts'

/*
 * Statements are declared once, by name, and compiled by Kysely once for each engine. Building a statement in each
 * request took Kysely 20 to 90 microseconds, several times as long as SQLite needs to execute it. With declared statements,
 * the service needs a third less processor time for a sign-in.
 */

/**
 * Stands for a value of an execution. A declaration runs once and cannot depend on values, so a slot can only be passed to
 * Kysely, and throws when it is converted or spread. All other values in a declaration are constants. They become literals,
 * because SQLite uses an index on `where state = 'pending'` for a literal, but not for a parameter.
 */
export interface Slot<T> extends Expression<T> {
  readonly slot: true
}

/** A slot for each property of an object. */
export type Slots<T> = { readonly [K in keyof T]-?: SlotFor<Exclude<T[K], undefined>> } & {
  readonly [object]?: () => T
}

declare const object: unique symbol

type SlotFor<T> = [T] extends [readonly (infer E extends string | number)[]] ? List<E> : Slot<T>

/** A slot for a list of any length: only for the right side of `in` and `not in`. */
export interface List<T extends string | number> extends Slot<T> {
  readonly list: true
}

type ValueOf<S> =
  S extends List<infer T> ? readonly T[] : S extends Slot<infer T> ? T : S extends Slots<infer T> ? T : never

type ValuesOf<S extends readonly unknown[]> = { [I in keyof S]: ValueOf<S[I]> }

type Build<S extends readonly unknown[], Row> = (
  db: Queryable,
  ...slots: S
) => Compilable<Row> & { toOperationNode(): RootOperationNode }

type Execute<S extends readonly unknown[], Result> = (db: Queryable, ...values: ValuesOf<S>) => Promise<Result>

/** A row that a declared statement reads. */
export type RowOf<E extends (...values: never[]) => Promise<unknown>> =
  Awaited<ReturnType<E>> extends readonly (infer Row)[] ? Row : NonNullable<Awaited<ReturnType<E>>>

/** Declares a statement whose rows are all read. */
export function allRows<S extends unknown[], Row>(name: string, build: Build<S, Row>): Execute<S, Row[]> {
  return declare<S, Row, Row[]>(name, build, ({ rows }) => rows)
}

/** Declares a statement that finds or changes one row, or none. */
export function firstRow<S extends unknown[], Row>(name: string, build: Build<S, Row>): Execute<S, Row | undefined> {
  return declare<S, Row, Row | undefined>(name, build, ({ rows }) => rows[0])
}

/** Declares a statement of which one column is read, of all rows. */
export function allValues<S extends unknown[], Row>(name: string, build: Build<S, Row>): Execute<S, Row[keyof Row][]> {
  return declare<S, Row, Row[keyof Row][]>(name, build, ({ rows }) => rows.map(onlyValue))
}

/** Declares a statement of which one column is read, of one row or none. */
export function firstValue<S extends unknown[], Row>(
  name: string,
  build: Build<S, Row>,
): Execute<S, Row[keyof Row] | undefined> {
  return declare<S, Row, Row[keyof Row] | undefined>(name, build, ({ rows }) => rows.map(onlyValue)[0])
}

const onlyValue = <Row>(row: Row): Row[keyof Row] => Object.values(Object(row))[0] as Row[keyof Row]

/** Declares a statement that always has a row. */
export function oneRow<S extends unknown[], Row>(name: string, build: Build<S, Row>): Execute<S, Row> {
  return declare<S, Row, Row>(name, build, ({ rows: [row] }) => {
    if (row === undefined) throw new Error(`The statement ${name} has no result.`)
    return row
  })
}

/** Declares a statement without a result. */
export function change<S extends unknown[]>(name: string, build: Build<S, unknown>): Execute<S, void> {
  return declare<S, unknown, void>(name, build, () => {}, true)
}

/** Declares a statement that says whether it changed a row: of several callers at once, only one gets `true`. */
export function changesRow<S extends unknown[]>(name: string, build: Build<S, unknown>): Execute<S, boolean> {
  return declare<S, unknown, boolean>(name, build, ({ numAffectedRows = 0n }) => numAffectedRows > 0n)
}

/** A slot whose value is computed from that of another one at each execution. */
export function derived<T, R>(slot: Slot<T> | Slots<T>, compute: (value: T) => R): Slot<R> {
  const { path, read } = placeOf(slot)
  return createSlot(new Place(path, (values) => compute(read(values) as T)))
}

/** Slots for columns of a row that is inserted, with the values they get where the row has none. */
export function withDefaults<T, D extends { readonly [K in keyof T]?: unknown }>(slots: Slots<T>, defaults: D) {
  const entries = Object.entries(defaults).map(([key, value]) => {
    const slot = slots[key as keyof T] as unknown as Slot<unknown>
    return [key, derived(slot, (input) => input ?? value)] as const
  })
  return Object.fromEntries(entries) as unknown as Pick<Slots<T>, keyof D & keyof T>
}

/** Slots for some columns of a row that is inserted. */
export function pick<T, const K extends keyof T>(slots: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, slots[key]])) as Pick<T, K>
}

interface DeclaredQuery extends CompiledQuery {
  /** The same for the same text, so that the database can prepare it once for each connection. */
  readonly name: string
  /** Whether nothing is read of its result, not even how many rows it changed. */
  readonly unread: boolean
}

/** Whether the database is PostgreSQL, where declarations differ between the two. */
export const isPostgres = (db: Queryable): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/** Other queries are built by each call, and may differ each time. */
export const isDeclared = (query: CompiledQuery): query is DeclaredQuery => 'unread' in query

interface Statement {
  readonly query: DeclaredQuery
  readonly parameters: readonly Place[]
  /** Known after the first execution that returned rows. */
  columns?: Columns
}

type AnyBuild = Build<never[], unknown>

const declared = new Map<string, AnyBuild>()

/** The names of all statements. */
export const statementNames = (): string[] => [...declared.keys()]

/** A statement as this database is given it. */
export function compiledStatement(db: Queryable, name: string): CompiledQuery {
  const build = declared.get(name)
  if (!build) throw new Error(`There is no statement ${name}.`)
  return compile(db, name, build, false).query
}

function declare<S extends unknown[], Row, Result>(
  name: string,
  build: Build<S, Row>,
  read: (result: QueryResult<Row>) => Result,
  unread = false,
): Execute<S, Result> {
  const anyBuild = build as unknown as AnyBuild
  if (declared.has(name)) throw new Error(`There are two statements ${name}.`)
  declared.set(name, anyBuild)
  const compiled = new WeakMap<object, Statement>()

  return async (db, ...values) => {
    const executor = db.getExecutor()
    // SQLite's or PostgreSQL's.
    const engine = executor.adapter.constructor
    let statement = compiled.get(engine)
    if (!statement) compiled.set(engine, (statement = compile(db, name, anyBuild, unread)))
    const parameters = statement.parameters.map((place) => bind(name, place, values))
    const query = { ...statement.query, parameters }
    // Past the plugins of Kysely, which rename each result of each execution. The connection of a transaction takes the next
    // statement before this one is answered.
    const execute = (connection: DatabaseConnection) => connection.executeQuery<Row>(query)
    const connection = connectionOf(db)
    const result = await (connection ? execute(connection) : executor.provideConnection(execute))
    return read(result.rows.length === 0 ? result : { ...result, rows: renamed(statement, result.rows) })
  }
}

function compile(db: Queryable, name: string, build: AnyBuild, unread: boolean): Statement {
  const executor = db.getExecutor()
  const postgres = isPostgres(db)
  const slots = Array.from({ length: build.length - 1 }, (_, index) =>
    createSlot(new Place(String(index), (values) => values[index])),
  )
  const id = { queryId: name }
  const node = executor.transformQuery(build(db, ...(slots as never[])).toOperationNode(), id)
  const query = executor.compileQuery(new Literals(postgres).transformNode(node, id), id)
  // PostgreSQL cuts names off after 63 bytes.
  const hash = createHash('sha256').update(query.sql).digest('hex').slice(0, 20)
  const namedQuery = { ...query, name: `${name.slice(0, 40)} ${hash}`, unread }
  return { query: namedQuery, parameters: query.parameters.map((place) => place as Place) }
}

function bind(name: string, { path, read }: Place, values: readonly unknown[]): unknown {
  const value = read(values)
  if (value === undefined) throw new TypeError(`The statement ${name} has no value for ${path}.`)
  return value
}

/** The columns of a result. */
interface Columns {
  /** Their names in SQL and here. */
  readonly names: readonly (readonly [sql: string, here: string])[]
  /**
   * A row without values. V8 turns an object that gets more than 16 properties by computed names into a hash table, which takes
   * seven times the memory while a held read keeps it. A copy of a parsed object stays an object with fixed places.
   */
  readonly empty: Readonly<Record<string, unknown>>
}

function columnsOf(row: object): Columns {
  const names = Object.keys(row).map((name) => [name, camelCase(name)] as const)
  const empty = JSON.stringify(Object.fromEntries(names.map(([, member]) => [member, null])))
  return { names, empty: JSON.parse(empty) as Columns['empty'] }
}

/** Rows with the names of `schema.ts`: `domain_id` is `domainId`. */
function renamed<Row>(statement: Statement, rows: readonly Row[]): Row[] {
  statement.columns ??= columnsOf(rows[0] as object)
  const { names, empty } = statement.columns
  return (rows as readonly Record<string, unknown>[]).map((row) => {
    const result = { ...empty }
    for (const [sql, member] of names) result[member] = row[sql]
    return result as Row
  })
}

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The stand-in for a value: a parameter of the compiled statement until values are bound. */
class Place {
  readonly path: string
  readonly read: (values: readonly unknown[]) => unknown

  constructor(path: string, read: Place['read']) {
    this.path = path
    this.read = read
  }
}

const places = new WeakMap<object, Place>()

/** @throws {TypeError} where it is not a slot. */
function placeOf(slot: object): Place {
  const place = places.get(slot)
  if (!place) throw new TypeError('Not a slot of this statement.')
  return place
}

/** A slot of an object has the slots of its properties. */
function createSlot<T>(place: Place): Slot<T> {
  const { path, read } = place
  const node = { expressionType: undefined, toOperationNode: () => ValueNode.create(place) }
  const slot = new Proxy(node, {
    get(target, key) {
      if (key in target) return target[key as keyof typeof target]
      if (typeof key === 'symbol') throw new TypeError(`The slot ${path} has no value when the statement is declared.`)
      return createSlot(new Place(`${path}.${key}`, (values) => (read(values) as Record<string, unknown>)[key]))
    },
    ownKeys() {
      throw new TypeError(`The slot ${path} cannot be spread: name the columns.`)
    },
  })
  places.set(slot, place)
  return slot as unknown as Slot<T>
}

/** Writes constants as literals, and slots as the database likes them best. */
class Literals extends OperationNodeTransformer {
  readonly #postgres: boolean

  constructor(postgres: boolean) {
    super()
    this.#postgres = postgres
  }

  /**
   * SQLite compiles a statement again when the value of a plain `?` changes that it could choose another index by
   * (sqlite.org/c3ref/bind_blob.html, SQLITE_ENABLE_STAT4). It does not watch `+?`.
   */
  protected override transformValue(node: ValueNode): ValueNode {
    if (!(node.value instanceof Place)) return ValueNode.createImmediate(node.value)
    return this.#postgres ? node : replacing(node, RawNode.create(['+', ''], [node]))
  }

  protected override transformPrimitiveValueList(node: PrimitiveValueListNode): PrimitiveValueListNode {
    return replacing(node, ValueListNode.create(node.values.map((value) => ValueNode.createImmediate(value as string))))
  }

  protected override transformBinaryOperation(node: BinaryOperationNode, id: { queryId: string }): BinaryOperationNode {
    const { rightOperand: right } = node
    const operator = OperatorNode.is(node.operator) ? node.operator.operator : undefined
    const place = ValueNode.is(right) && right.value instanceof Place ? right.value : undefined
    if (!place || (operator !== 'in' && operator !== 'not in')) return super.transformBinaryOperation(node, id)
    const leftOperand = this.transformNode(node.leftOperand, id)
    if (!this.#postgres) {
      const list = new Place(place.path, (values) => JSON.stringify(listOf(place, values)))
      const rightOperand = RawNode.create(['(select value from json_each(', '))'], [ValueNode.create(list)])
      return { ...node, leftOperand, rightOperand }
    }
    const rightOperand = RawNode.create([operator === 'in' ? 'any(' : 'all(', ')'], [right])
    return { ...node, leftOperand, operator: OperatorNode.create(operator === 'in' ? '=' : '<>'), rightOperand }
  }
}

function listOf({ path, read }: Place, values: readonly unknown[]): unknown {
  const list = read(values)
  if (!Array.isArray(list)) throw new TypeError(`${path}: expected a list.`)
  return list
}

/** Kysely's types want a node of the same kind; its compilers take any. */
const replacing = <T extends OperationNode>(_: T, node: OperationNode): T => node as T
