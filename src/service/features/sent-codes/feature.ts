import { removal } from '../../engine/database/due.ts'
import { removeSentCodes } from './statements.ts'
import type { Feature } from '../../engine/steps/feature.ts'

export const sentCodes = {
  name: 'sent-codes',
  tables: ['emailCode'],
  membershipEnds: [{ place: 4, run: (db, { userIds, domainId }) => removeSentCodes(db, { userIds, domainId }) }],
  addressChanges: [{ place: 1, run: (db, { userIds }) => removeSentCodes(db, { userIds }) }],
  removals: {
    expiredSentCodes: {
      place: 6,
      beforeRotation: true,
      removeSome: removal('emailCode', ['domainId', 'userId'], (is, now) => is('expiresAt', '<=', now)),
    },
  },
} as const satisfies Feature
