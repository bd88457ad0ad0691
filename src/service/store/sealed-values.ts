import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'

import type { Database, Queryable } from './schema.ts'
import { activationCodeText, bypassCodeText } from './secrets.ts'
import type { SealedRecord } from './secrets.ts'

/** A sealed value as it stands in the database. */
export interface SealedValue {
  /** Of the record it is sealed for. */
  readonly id: string
  readonly sealed: string
  /** What its lookup is made with, beside the secret. */
  readonly owner: string
}

/** A column of secrets. */
export interface SealedPlace {
  readonly kind: SealedRecord['kind']
  readonly table: keyof Database
  readonly column: string
  /** The id of the record, where that is no column of its own. */
  readonly id?: string
  /** Where the secret is found by something: the column beside it, and what that is made of. */
  readonly lookup?: { readonly column: string; readonly owner?: string; readonly text: LookupText }
}

type LookupText = (secret: string, owner: string) => string

/** The id of the one there is. */
export const pushKeyRecord = { kind: 'push key', id: 'vapid' } as const

/** Everything that is sealed. Whoever adds a secret to the database adds it here. */
export const sealedPlaces: readonly SealedPlace[] = [
  { kind: 'seed', table: 'codeGenerator', column: 'seed' },
  {
    kind: 'bypass code',
    table: 'bypassCode',
    column: 'code',
    lookup: { column: 'codeLookup', owner: 'userId', text: (code, userId) => bypassCodeText(userId, code) },
  },
  {
    kind: 'activation code',
    table: 'token',
    column: 'code',
    lookup: { column: 'codeLookup', text: activationCodeText },
  },
  {
    kind: 'replacement code',
    table: 'token',
    column: 'replacement',
    lookup: { column: 'replacementLookup', text: activationCodeText },
  },
  { kind: 'pin', table: 'device', column: 'pin' },
  { kind: 'push subscription', table: 'device', column: 'push' },
  { ...pushKeyRecord, table: 'pushKey', column: 'privateKey' },
]

/** In the order of their ids. */
export async function sealedPage(
  db: Queryable,
  place: SealedPlace,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<SealedValue[]> {
  const { table, column, id } = names(place)
  const owner = place.lookup?.owner === undefined ? id : sql.ref(place.lookup.owner)
  const { rows } = await sql<SealedValue>`select ${id} as id, ${column} as sealed, ${owner} as owner from ${table}
    where ${column} is not null and ${id} > ${after} order by 1 limit ${limit}`.execute(db)
  return rows
}

/** Unless it was changed meanwhile: who changed it knew the newer secret. */
export async function replaceSealed(
  db: Queryable,
  place: SealedPlace,
  value: SealedValue,
  by: { readonly sealed: string; readonly lookup: string | undefined },
): Promise<void> {
  const { table, column, id } = names(place)
  const lookup = place.lookup ? sql`, ${sql.ref(place.lookup.column)} = ${by.lookup}` : sql``
  await sql`update ${table} set ${column} = ${by.sealed}${lookup}
    where ${id} = ${value.id} and ${column} = ${value.sealed}`.execute(db)
}

/** How many values name the key; e-mailed codes are apart, as nobody can seal them anew: they lapse. */
export interface Named {
  readonly values: number
  readonly emailCodes: number
}

/** @param keyId Of this key; nothing for all there are. */
export async function countSealed(db: Queryable, keyId?: string): Promise<Named> {
  let values = 0
  for (const place of sealedPlaces) values += await countIn(db, names(place), keyId)
  const emailCodes = await countIn(db, { table: sql.table('emailCode'), column: sql.ref('codeLookup') }, keyId)
  return { values, emailCodes }
}

type Names = Readonly<Record<'table' | 'column' | 'id', RawBuilder<unknown>>>

async function countIn(db: Queryable, { table, column }: Omit<Names, 'id'>, keyId: string | undefined) {
  const [prefix, length] = [`${keyId}.`, sql.lit(`${keyId}.`.length)]
  const named = keyId === undefined ? sql`1 = 1` : sql`substr(${column}, 1, ${length}) = ${prefix}`
  const { rows } = await sql<{ count: number | string | bigint }>`select count(*) as count from ${table}
    where ${column} is not null and ${named}`.execute(db)
  return Number(rows[0]?.count)
}

function names({ table, column, id }: SealedPlace): Names {
  return { table: sql.table(table), column: sql.ref(column), id: id === undefined ? sql.ref('id') : sql.lit(id) }
}

/** Codes that were found before there were keys; nobody can say what they were. */
export async function removeEmailCodesOfNoKey(db: Queryable): Promise<void> {
  await db.deleteFrom('emailCode').where('codeLookup', 'not like', '%.%').execute()
}
