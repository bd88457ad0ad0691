import { sql } from 'kysely'

import type { Queryable } from './schema.ts'
import { sealedDevicePlaces } from './sealed-device-values.ts'
import { activationCodeText, bypassCodeText } from './secrets.ts'
import type { SealedRecord } from './secrets.ts'

/** A sealed value as it stands in the database. */
export interface SealedValue {
  readonly id: string
  readonly sealed: string
  /** What the value is found by, where it is found by something. */
  readonly lookupText?: (secret: string) => string
}

/** A column of secrets. */
export interface SealedPlace {
  readonly kind: SealedRecord['kind']
  /** In the order of their ids. */
  readonly page: (db: Queryable, after: string, limit: number) => Promise<SealedValue[]>
  /** Unless it was changed meanwhile: who changed it knew the newer secret. */
  readonly replace: (db: Queryable, value: SealedValue, by: { sealed: string; lookup: string }) => Promise<void>
}

/** Everything that is sealed. Whoever adds a secret to the database adds it here. */
export const sealedPlaces: readonly SealedPlace[] = [
  {
    kind: 'seed',
    page: (db, after, limit) =>
      db
        .selectFrom('codeGenerator')
        .select(['id', 'seed as sealed'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),
    async replace(db, { id, sealed }, by) {
      await db
        .updateTable('codeGenerator')
        .set({ seed: by.sealed })
        .where('id', '=', id)
        .where('seed', '=', sealed)
        .execute()
    },
  },
  {
    kind: 'bypass code',
    async page(db, after, limit) {
      const rows = await db
        .selectFrom('bypassCode')
        .select(['id', 'code as sealed', 'userId'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(({ id, sealed, userId }) => ({
        id,
        sealed,
        lookupText: (secret) => bypassCodeText(userId, secret),
      }))
    },
    async replace(db, { id, sealed }, by) {
      await db
        .updateTable('bypassCode')
        .set({ code: by.sealed, codeLookup: by.lookup })
        .where('id', '=', id)
        .where('code', '=', sealed)
        .execute()
    },
  },
  {
    kind: 'activation code',
    async page(db, after, limit) {
      const rows = await db
        .selectFrom('token')
        .select(['id', 'code'])
        .where('id', '>', after)
        .where('code', 'is not', null)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(({ id, code }) => ({ id, sealed: code ?? '', lookupText: activationCodeText }))
    },
    async replace(db, { id, sealed }, by) {
      await db
        .updateTable('token')
        .set({ code: by.sealed, codeLookup: by.lookup })
        .where('id', '=', id)
        .where('code', '=', sealed)
        .execute()
    },
  },
  {
    kind: 'replacement code',
    async page(db, after, limit) {
      const rows = await db
        .selectFrom('token')
        .select(['id', 'replacement'])
        .where('id', '>', after)
        .where('replacement', 'is not', null)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(({ id, replacement }) => ({ id, sealed: replacement ?? '', lookupText: activationCodeText }))
    },
    async replace(db, { id, sealed }, by) {
      await db
        .updateTable('token')
        .set({ replacement: by.sealed, replacementLookup: by.lookup })
        .where('id', '=', id)
        .where('replacement', '=', sealed)
        .execute()
    },
  },
  ...sealedDevicePlaces,
]

/** How many values name the key; e-mailed codes are apart, as nobody can seal them anew: they lapse. */
export interface Named {
  readonly values: number
  readonly emailCodes: number
}

/** @param keyId Of this key; nothing for all there are. */
export async function countSealed(db: Queryable, keyId?: string): Promise<Named> {
  const named = (column: string) =>
    keyId === undefined ? sql<boolean>`1 = 1` : sql<boolean>`substr(${sql.ref(column)}, 1, ${length}) = ${prefix}`
  const [prefix, length] = [`${keyId}.`, sql.lit(`${keyId}.`.length)]
  const count = async (rows: Promise<{ count: number | string | bigint }>) => Number((await rows).count)
  const seeds = db.selectFrom('codeGenerator').select(countAll).where(named('seed'))
  const bypass = db.selectFrom('bypassCode').select(countAll).where(named('code'))
  const tokens = db.selectFrom('token').select(countAll).where('code', 'is not', null).where(named('code'))
  const moves = db.selectFrom('token').select(countAll).where('replacement', 'is not', null).where(named('replacement'))
  const email = db.selectFrom('emailCode').select(countAll).where(named('code_lookup'))
  const pins = db.selectFrom('device').select(countAll).where('pin', 'is not', null).where(named('pin'))
  const pushes = db.selectFrom('device').select(countAll).where('push', 'is not', null).where(named('push'))
  const pushKeys = db.selectFrom('pushKey').select(countAll).where(named('private_key'))
  const values =
    (await count(pins.executeTakeFirstOrThrow())) +
    (await count(pushes.executeTakeFirstOrThrow())) +
    (await count(pushKeys.executeTakeFirstOrThrow())) +
    (await count(seeds.executeTakeFirstOrThrow())) +
    (await count(bypass.executeTakeFirstOrThrow())) +
    (await count(tokens.executeTakeFirstOrThrow())) +
    (await count(moves.executeTakeFirstOrThrow()))
  return { values, emailCodes: await count(email.executeTakeFirstOrThrow()) }
}

const countAll = sql<number | string | bigint>`count(*)`.as('count')

/** Codes that were found before there were keys; nobody can say what they were. */
export async function removeEmailCodesOfNoKey(db: Queryable): Promise<void> {
  await db.deleteFrom('emailCode').where('codeLookup', 'not like', '%.%').execute()
}
