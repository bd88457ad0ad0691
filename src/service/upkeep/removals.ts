import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'

import { sessionLifetime } from '../../contract/admin/roles.ts'
import { historyRetention, noticeRetention } from '../../contract/device.ts'
import { usedUpCodesKept } from '../features/bypass-codes/rules.ts'
import { readableFor } from '../features/sessions/state.ts'
import { changeSome, removeSome } from '../engine/database/due.ts'
import type { Key } from '../engine/database/due.ts'
import { removeOldEpochChanges } from '../features/users/epochs.ts'
import { noReplacement } from '../features/devices/replacement-statements.ts'
import type { Database, Queryable } from '../engine/database/schema.ts'
import { secondsOfADay } from '../features/sessions/sign-in-days.ts'

/** The longest window in which attempts count, seconds. */
const attemptsCountFor = 24 * 60 * 60
/** How long a revoked device that calls is told so, seconds. */
const revokedDevicesKept = 90 * 24 * 60 * 60
/** How long counts of sign-ins are kept, days: a year can be compared with the one before for a month. */
const signInDaysKept = 400

/** A step: removes some of the rows of a kind. @returns how many; fewer than `sweepStep` where none is left. */
type Removal = (db: Queryable, now: number) => Promise<number>

/** What a sweep removes. Nothing depends on it: all of it reads as absent already. */
export const removals = {
  settledSessions: removal('session', ['sequence'], (is, now) => is('settledAt', '<=', now - readableFor)),
  expiredTokens: removal('token', ['id'], (is, now) =>
    is.and([is('state', '=', 'pending'), is('codeExpiresAt', '<=', now)]),
  ),
  expiredReplacements: (db, now) =>
    changeSome(db, 'token', ['id'], (is) => is('replacementExpiresAt', '<=', now), noReplacement),
  expiredBypassCodes: removal('bypassCode', ['sequence'], (is, now) => is('expiresAt', '<=', now)),
  // They stay as long as a pass may rest on them.
  usedUpBypassCodes: removal('bypassCode', ['sequence'], (is, now) =>
    is.and([is('usesRemaining', '=', 0), is(is.fn.coalesce('usedAt', 'createdAt'), '<=', now - usedUpCodesKept)]),
  ),
  expiredEmailCodes: removal('emailCode', ['domainId', 'userId'], (is, now) => is('expiresAt', '<=', now)),
  endedCeremonies: removal('passkeyCeremony', ['challengeHash'], (is, now) => is('expiresAt', '<=', now)),
  endedAdministratorCeremonies: removal('administratorCeremony', ['challengeHash'], (is, now) =>
    is('expiresAt', '<=', now),
  ),
  expiredConsents: removal('consent', ['id'], (is, now) => is('expiresAt', '<=', now)),
  oldBulkItems: removal('bulkItem', ['jobId', 'userId'], (is, now) => is('expiresAt', '<=', now)),
  oldBulkJobs: removal('bulkJob', ['id'], (is, now) => is('expiresAt', '<=', now)),
  expiredInvitations: removal('administratorInvitation', ['tokenHash'], (is, now) => is('expiresAt', '<=', now)),
  endedAdministratorSessions: removal('administratorSession', ['hash'], (is, now) =>
    is('usedAt', '<=', now - sessionLifetime),
  ),
  oldChallengeTries: removal('challengeTry', ['challenge'], (is, now) => is('expiresAt', '<=', now)),
  expiredBrowsers: removal('knownBrowser', ['idHash', 'domainId', 'userId'], (is, now) => is('expiresAt', '<=', now)),
  expiredMailReports: removal('mailReport', ['secretHash'], (is, now) => is('expiresAt', '<=', now)),
  oldHistory: removal('deviceHistory', ['sequence'], (is, now) => is('settledAt', '<=', now - historyRetention)),
  oldNotices: removal('deviceNotice', ['sequence'], (is, now) => is('createdAt', '<=', now - noticeRetention)),
  // A No blocks the help desk for a day, and devices show what they answered for as long as sign-ins.
  oldCallerVerifications: removal('callerVerification', ['sequence'], (is, now) =>
    is('expiresAt', '<=', now - historyRetention),
  ),
  oldCalls: removal('deviceCall', ['deviceId', 'jti'], (is, now) => is('expiresAt', '<', now)),
  oldMoves: removal('deviceMove', ['deviceId'], (is, now) => is('expiresAt', '<=', now)),
  oldAttempts: removal('attempt', ['sequence'], (is, now) => is('at', '<', now - attemptsCountFor)),
  oldTallies: removal('tally', ['scope', 'at'], (is, now) => is('at', '<', now - attemptsCountFor)),
  oldSignInDays: removal('signInDay', ['domainId', 'day', 'outcome', 'factor'], (is, now) =>
    is('day', '<', Math.floor(now / secondsOfADay) - signInDaysKept),
  ),
  oldEpochChanges: removeOldEpochChanges,
  revokedDevices: removal('device', ['id'], (is, now) => is('revokedAt', '<', now - revokedDevicesKept)),
} as const satisfies Record<string, Removal>

function removal<T extends keyof Database>(
  table: T,
  key: Key<T>,
  isDue: (is: ExpressionBuilder<Database, T>, now: number) => Expression<SqlBool>,
): Removal {
  return (db, now) => removeSome(db, table, key, (is) => isDue(is, now))
}
