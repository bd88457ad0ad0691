import { changeUser } from '../users/operations.ts'
import type { Caller } from '../../engine/context/caller.ts'
import { mailAfterCommit } from '../../engine/mail/mail-after-commit.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import type { UserRow } from '../users/statements.ts'

/** Gives a person another e-mail address, and tells the person at the old one. In a transaction. */
export async function changeAddress(db: Queryable, call: Caller, user: UserRow, email: string): Promise<void> {
  if (user.email === email) return
  await changeUser(db, call, user, { email })
  if (user.email === '') return
  const { organizationId } = call
  await mailAfterCommit(db, call, { kind: 'email_changed', organizationId, userId: user.id, to: user.email })
}
