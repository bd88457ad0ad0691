import { removal } from '../../engine/database/due.ts'
import { removeEmailCodes } from './statements.ts'
import type { Feature } from '../../engine/steps/feature.ts'

export const emailCodes = {
  name: 'email-codes',
  tables: ['emailCode'],
  membershipEnds: [{ place: 4, run: (db, { userIds, domainId }) => removeEmailCodes(db, { userIds, domainId }) }],
  addressChanges: [{ place: 1, run: (db, { userIds }) => removeEmailCodes(db, { userIds }) }],
  removals: {
    expiredEmailCodes: {
      place: 6,
      beforeRotation: true,
      removeSome: removal('emailCode', ['domainId', 'userId'], (is, now) => is('expiresAt', '<=', now)),
    },
  },
} as const satisfies Feature
