import { removal } from '../../engine/database/due.ts'
import { endOtherSessions, removeOldEpochChanges } from './epochs.ts'
import { endKnownBrowsers } from './statements.ts'
import type { Feature } from '../../engine/steps/feature.ts'

export const browsers = {
  name: 'browsers',
  tables: ['knownBrowser', 'epochChange'],
  membershipEnds: [
    { place: 2, run: (db, { userIds }) => endKnownBrowsers(db, userIds) },
    { place: 3, run: (db, { userIds }) => endOtherSessions(db, userIds) },
  ],
  removals: {
    expiredBrowsers: {
      place: 15,
      removeSome: removal('knownBrowser', ['idHash', 'domainId', 'userId'], (is, now) => is('expiresAt', '<=', now)),
    },
    oldEpochChanges: { place: 25, removeSome: removeOldEpochChanges },
  },
} as const satisfies Feature
