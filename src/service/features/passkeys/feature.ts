import { removal } from '../../engine/database/due.ts'
import { removeCeremonies } from './ceremony-statements.ts'
import { removePasskeys } from './statements.ts'
import type { Feature } from '../../engine/steps/feature.ts'

export const passkeys = {
  name: 'passkeys',
  tables: ['passkey', 'passkeyCeremony'],
  membershipEnds: [{ place: 5, run: (db, { userIds, domainId }) => removeCeremonies(db, { userIds, domainId }) }],
  lastMembershipEnds: [{ place: 2, run: async (db, { userIds }) => void (await removePasskeys(db, userIds)) }],
  removals: {
    endedCeremonies: {
      place: 7,
      removeSome: removal('passkeyCeremony', ['challengeHash'], (is, now) => is('expiresAt', '<=', now)),
    },
  },
} as const satisfies Feature
