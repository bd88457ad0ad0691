import { historyRetention } from '../../../contract/device.ts'
import { removal } from '../../engine/database/due.ts'
import type { Feature } from '../../engine/steps/feature.ts'

export const callers = {
  name: 'callers',
  tables: ['callerVerification'],
  removals: {
    // A No blocks the help desk for a day, and devices show what they answered for as long as sign-ins.
    oldCallerVerifications: {
      place: 19,
      removeSome: removal('callerVerification', ['sequence'], (is, now) =>
        is('expiresAt', '<=', now - historyRetention),
      ),
    },
  },
} as const satisfies Feature
