import { removal } from '../../engine/database/due.ts'
import { removeLastSignIn } from './last-sign-ins.ts'
import { secondsOfADay } from './sign-in-days.ts'
import { readableFor } from './rules.ts'
import type { Feature } from '../../engine/steps/feature.ts'

/** How long counts of sign-ins are kept, days: a year can be compared with the one before for a month. */
const signInDaysKept = 400

export const sessions = {
  name: 'sessions',
  tables: ['session', 'lastSignIn', 'signInDay'],
  userEnds: [{ place: 1, run: (db, { userId }) => removeLastSignIn(db, userId) }],
  removals: {
    settledSessions: {
      place: 1,
      removeSome: removal('session', ['sequence'], (is, now) => is('settledAt', '<=', now - readableFor)),
    },
    oldSignInDays: {
      place: 24,
      removeSome: removal('signInDay', ['domainId', 'day', 'outcome', 'factor'], (is, now) =>
        is('day', '<', Math.floor(now / secondsOfADay) - signInDaysKept),
      ),
    },
  },
} as const satisfies Feature
