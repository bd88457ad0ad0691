import { removeEmailCodes } from '../email-codes/statements.ts'
import type { Queryable } from '../../engine/database/schema.ts'
import { expireMailedLinks } from '../devices/token-statements.ts'

/** Ends the codes and links that were sent to users whose address has changed. In the transaction of the change, after it. */
export async function forgetOldMailbox(db: Queryable, userIds: readonly string[], now: number): Promise<void> {
  await removeEmailCodes(db, { userIds })
  await expireMailedLinks(db, userIds, now)
}
