import type { Selectable } from 'kysely'

import type { CodeGeneratorTable, Fact, Queryable } from './schema.ts'

export type CodeGeneratorRow = Selectable<CodeGeneratorTable>

export async function insertCodeGenerator(
  db: Queryable,
  generator: Pick<CodeGeneratorTable, 'id' | 'seed' | 'digits' | 'period'>,
): Promise<void> {
  await db
    .insertInto('codeGenerator')
    .values({ ...generator, lastStep: -1, drift: 0, syncState: 'Never Used' })
    .execute()
}

/** Of the hardware token or the authenticator app (`selfEnrolled`) the user has. */
export function generatorOfHardware(
  db: Queryable,
  userId: string,
): Promise<(CodeGeneratorRow & { readonly selfEnrolled: Fact }) | undefined> {
  return db
    .selectFrom('codeGenerator')
    .innerJoin('hardwareToken', 'hardwareToken.id', 'codeGenerator.id')
    .selectAll('codeGenerator')
    .select('hardwareToken.selfEnrolled')
    .where('hardwareToken.userId', '=', userId)
    .executeTakeFirst()
}

/** Of the device that answers for the user in the domain. */
export function generatorOfDevice(
  db: Queryable,
  domainId: string,
  userId: string,
): Promise<CodeGeneratorRow | undefined> {
  return db
    .selectFrom('codeGenerator')
    .innerJoin('device', 'device.id', 'codeGenerator.id')
    .innerJoin('token', 'token.id', 'device.tokenId')
    .selectAll('codeGenerator')
    .where('token.domainId', '=', domainId)
    .where('token.userId', '=', userId)
    .where('token.state', '=', 'active')
    .where('device.revokedAt', 'is', null)
    .executeTakeFirst()
}

/** Uses a time step up, and all before it. @returns false when it was used already. */
export async function useStep(
  db: Queryable,
  id: string,
  { step, drift }: { step: number; drift: number },
): Promise<boolean> {
  const won = await db
    .updateTable('codeGenerator')
    .set({ lastStep: step, drift, seenStep: null, seenAt: null, syncState: 'Synchronized' })
    .where('id', '=', id)
    .where('lastStep', '<', step)
    .executeTakeFirst()
  return won.numUpdatedRows === 1n
}

/** Remembers a step that was too far away to be accepted. */
export async function rememberStep(db: Queryable, id: string, seen: { step: number; at: number }): Promise<void> {
  await db
    .updateTable('codeGenerator')
    .set({ seenStep: seen.step, seenAt: seen.at, syncState: 'Out of Sync' })
    .where('id', '=', id)
    .where('lastStep', '<', seen.step)
    .execute()
}

export async function removeCodeGenerators(db: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('codeGenerator').where('id', 'in', ids).execute()
}
