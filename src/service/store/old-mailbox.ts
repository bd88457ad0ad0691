import { removeEmailCodes } from './email-codes.ts'
import type { Queryable } from './schema.ts'
import { expireMailedLinks } from './tokens.ts'

/** Ends the codes and links that were sent to users whose address has changed. In the transaction of the change, after it. */
export async function forgetOldMailbox(db: Queryable, userIds: readonly string[], now: number): Promise<void> {
  await removeEmailCodes(db, { userIds })
  await expireMailedLinks(db, userIds, now)
}
