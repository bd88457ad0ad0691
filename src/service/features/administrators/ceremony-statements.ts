import { changesRow } from '../../engine/database/statement.ts'
import type { Slots } from '../../engine/database/statement.ts'

interface UsedChallenge {
  readonly challengeHash: string
  readonly expiresAt: number
}

/** Notes that a challenge of the console was used, which nothing has stored before. @returns false if it was noted already. */
export const insertUsedAdministratorChallenge = changesRow(
  'insertUsedAdministratorChallenge',
  (db, { challengeHash, expiresAt }: Slots<UsedChallenge>) =>
    db
      .insertInto('administratorCeremony')
      .values({ challengeHash, kind: 'used', subject: '', userHandle: '', expiresAt })
      .onConflict((conflict) => conflict.column('challengeHash').doNothing()),
)
