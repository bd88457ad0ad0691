import { releaseHardwareTokens } from './statements.ts'
import type { Feature } from '../../engine/steps/feature.ts'

export const hardware = {
  name: 'hardware',
  tables: ['hardwareToken'],
  lastMembershipEnds: [
    { place: 1, run: async (db, { userIds, secrets }) => void (await releaseHardwareTokens(db, secrets, userIds)) },
  ],
} as const satisfies Feature
