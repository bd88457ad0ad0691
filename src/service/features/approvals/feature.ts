import { removal } from '../../engine/database/due.ts'
import type { Feature } from '../../engine/steps/feature.ts'
import { deleteBlocksOf } from './block-statements.ts'
import { leaveApprovals } from './leaving.ts'

const secondsOfADay = 24 * 60 * 60

export const approvals = {
  name: 'approvals',
  tables: ['approval', 'approver', 'requesterBlock', 'receiptKey'],
  membershipEnds: [{ place: 6, run: leaveApprovals }],
  userEnds: [{ place: 4, run: (db, { userId }) => deleteBlocksOf(db, [userId]) }],
  removals: {
    oldApprovers: {
      place: 28,
      removeSome: removal('approver', ['sequence'], (is, now) => is('keptUntil', '<=', now)),
    },
    oldApprovals: {
      place: 29,
      // A day later, because a foreign key refers to them.
      removeSome: removal('approval', ['sequence'], (is, now) => is('keptUntil', '<=', now - secondsOfADay)),
    },
    endedBlocks: {
      place: 30,
      removeSome: removal('requesterBlock', ['sequence'], (is, now) => is('blockedUntil', '<=', now)),
    },
  },
} as const satisfies Feature
