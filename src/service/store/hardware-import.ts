import { neverUsed } from './code-generators.ts'
import type { Database, Queryable } from './schema.ts'
import { allValues } from './statement.ts'
import type { List, Slot } from './statement.ts'

/** A hardware token that is to be added. Its seed is sealed. */
export type HardwareTokenImport = Pick<
  Database['hardwareToken'],
  'id' | 'organizationId' | 'alias' | 'serialNumber' | 'createdAt'
> &
  Pick<Database['codeGenerator'], 'seed' | 'digits' | 'period'>

/** Rows of one statement: several times faster than one by one, and far below the most parameters of either engine. */
export const importBatch = 500

/** Which of at most `importBatch` serial numbers the organization has already. */
export const presentSerialNumbers = allValues(
  'presentSerialNumbers',
  (db, organizationId: Slot<string>, numbers: List<string>) =>
    db
      .selectFrom('hardwareToken')
      .select('serialNumber')
      .where('organizationId', '=', organizationId)
      .where('serialNumber', 'in', numbers),
)

/** In a transaction, at most `importBatch` at a time. @returns false where a serial number is taken: then roll back. */
export async function insertHardwareTokens(db: Queryable, rows: readonly HardwareTokenImport[]): Promise<boolean> {
  const generators = rows.map(({ id, seed, digits, period }) => ({ id, seed, digits, period, ...neverUsed }))
  const tokens = rows.map(({ seed: _seed, digits: _digits, period: _period, ...token }) => token)
  await db.insertInto('codeGenerator').values(generators).execute()
  const inserted = await db
    .insertInto('hardwareToken')
    .values(tokens)
    .onConflict((conflict) => conflict.columns(['organizationId', 'serialNumber']).doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === BigInt(rows.length)
}
