import { removal } from '../../engine/database/due.ts'
import { removeMailReports } from './statements.ts'
import type { Feature } from '../../engine/steps/feature.ts'

export const mailReports = {
  name: 'mail-reports',
  tables: ['mailReport'],
  userEnds: [{ place: 3, run: (db, { userId }) => removeMailReports(db, [userId]) }],
  removals: {
    expiredMailReports: {
      place: 16,
      removeSome: removal('mailReport', ['secretHash'], (is, now) => is('expiresAt', '<=', now)),
    },
  },
} as const satisfies Feature
