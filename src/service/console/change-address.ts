import { changeUser } from '../api/users.ts'
import type { Caller } from '../context/caller.ts'
import { mailAfterCommit } from '../mail/mail-after-commit.ts'
import type { Queryable } from '../store/schema.ts'
import type { UserRow } from '../store/users.ts'

/** Gives a person another e-mail address, and tells the person at the old one. In a transaction. */
export async function changeAddress(db: Queryable, call: Caller, user: UserRow, email: string): Promise<void> {
  if (user.email === email) return
  await changeUser(db, call, user, { email })
  if (user.email === '') return
  const { organizationId } = call
  await mailAfterCommit(db, call, { kind: 'email_changed', organizationId, userId: user.id, to: user.email })
}
