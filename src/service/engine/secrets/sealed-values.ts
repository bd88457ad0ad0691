import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'

import type { Database, Queryable } from '../database/schema/schema.ts'
import { activationCodeText, bypassCodeText } from './secrets.ts'
import type { SealedRecord, ServiceSecret, UserSecret } from './secrets.ts'

/** A sealed value as the database stores it. */
export interface SealedValue {
  /** The id of the record that it is sealed for. */
  readonly id: string
  readonly sealed: string
  /** The user, administrator or API key it belongs to; null where it belongs to none. */
  readonly userId: string | null
}

/** A column of secrets. */
export type SealedPlace = {
  readonly table: keyof Database
  readonly column: string
  /** The column by which the secret is found, and the text that it is made of. */
  readonly lookup?: { readonly column: string; readonly text: LookupText }
} & (
  | {
      readonly kind: UserSecret
      /** The owner of the record. */
      readonly user: RawBuilder<string | null>
    }
  | {
      readonly kind: ServiceSecret
      /** The id of the one record there is. */
      readonly id: string
    }
)

type LookupText = (secret: string, userId: string | null) => string

/** The id of the one there is. */
export const pushKeyRecord = { kind: 'push key', id: 'vapid' } as const

/** The user of a record that names one. */
const user = sql.ref<string | null>('userId')

/** The owner of a record of the service itself. */
const nobody = sql<string | null>`null`

/** A seed is that of a hardware token or of a device, which have its id. */
const userOfSeed = sql<
  string | null
>`coalesce((select user_id from hardware_token where hardware_token.id = code_generator.id),
  (select user_id from device where device.id = code_generator.id))`

const byCode = { column: 'codeLookup', text: activationCodeText }
const byReplacement = { column: 'replacementLookup', text: activationCodeText }
const byBypassCode = {
  column: 'codeLookup',
  text: (code: string, userId: string | null) => bypassCodeText(userId ?? '', code),
}

/** Everything that is sealed. Every new secret in the database must be added here. */
export const sealedPlaces: readonly SealedPlace[] = [
  { kind: 'seed', table: 'codeGenerator', column: 'seed', user: userOfSeed },
  { kind: 'bypass code', table: 'bypassCode', column: 'code', user, lookup: byBypassCode },
  { kind: 'activation code', table: 'token', column: 'code', user, lookup: byCode },
  { kind: 'replacement code', table: 'token', column: 'replacement', user, lookup: byReplacement },
  { kind: 'pin', table: 'device', column: 'pin', user },
  { kind: 'push subscription', table: 'device', column: 'push', user },
  { kind: 'passkey', table: 'passkey', column: 'publicKey', user },
  {
    kind: 'administrator passkey',
    table: 'administratorPasskey',
    column: 'publicKey',
    user: sql.ref<string | null>('administratorId'),
  },
  {
    kind: 'remembered answer',
    table: 'rememberedAnswer',
    column: 'answer',
    user: sql.ref<string | null>('apiKeyId'),
  },
  { kind: 'approval content', table: 'approval', column: 'content', user: sql.ref<string | null>('domainId') },
  { kind: 'approval proof', table: 'approver', column: 'proof', user },
  { kind: 'receipt key', table: 'receiptKey', column: 'privateKey', user: nobody },
  { kind: 'OpenID artifact', table: 'oidcArtifact', column: 'payload', user },
  { kind: 'OpenID key', table: 'oidcKey', column: 'privateKey', user: nobody },
  { ...pushKeyRecord, table: 'pushKey', column: 'privateKey' },
]

/** The record that a value of this place is sealed for. */
export function recordOf(place: SealedPlace, { id, userId }: SealedValue): SealedRecord {
  return 'user' in place ? { kind: place.kind, id, userId } : { kind: place.kind, id }
}

/** Reads the values in the order of their ids. */
export async function sealedPage(
  db: Queryable,
  place: SealedPlace,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<SealedValue[]> {
  const { table, column, id } = names(place)
  const owner = 'user' in place ? place.user : sql`null`
  const { rows } = await sql<SealedValue>`select ${id} as id, ${column} as sealed, ${owner} as user_id from ${table}
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

/** How many values use the key. Sent codes are counted apart: they cannot be sealed again, and expire. */
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
  const keyCondition = keyId === undefined ? sql`1 = 1` : sql`substr(${column}, 1, ${length}) = ${prefix}`
  const { rows } = await sql<{ count: number | string | bigint }>`select count(*) as count from ${table}
    where ${column} is not null and ${keyCondition}`.execute(db)
  return Number(rows[0]?.count)
}

function names(place: SealedPlace): Names {
  const id = 'id' in place ? sql.lit(place.id) : sql.ref('id')
  return { table: sql.table(place.table), column: sql.ref(place.column), id }
}

/** Codes from before there were keys. They cannot be restored from their lookups. */
export async function removeSentCodesOfNoKey(db: Queryable): Promise<void> {
  await db.deleteFrom('emailCode').where('codeLookup', 'not like', '%.%').execute()
}
