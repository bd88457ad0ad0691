import { removal } from '../../engine/database/due.ts'
import { usedUpCodesKept } from './rules.ts'
import { removeBypassCodes } from './statements.ts'
import type { Feature } from '../../engine/steps/feature.ts'

export const bypassCodes = {
  name: 'bypass-codes',
  tables: ['bypassCode'],
  lastMembershipEnds: [{ place: 3, run: (db, { userIds }) => removeBypassCodes(db, userIds) }],
  removals: {
    expiredBypassCodes: {
      place: 4,
      beforeRotation: true,
      removeSome: removal('bypassCode', ['sequence'], (is, now) => is('expiresAt', '<=', now)),
    },
    // They stay as long as a pass may rest on them.
    usedUpBypassCodes: {
      place: 5,
      beforeRotation: true,
      removeSome: removal('bypassCode', ['sequence'], (is, now) =>
        is.and([is('usesRemaining', '=', 0), is(is.fn.coalesce('usedAt', 'createdAt'), '<=', now - usedUpCodesKept)]),
      ),
    },
  },
} as const satisfies Feature
