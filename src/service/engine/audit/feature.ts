import type { Feature } from '../steps/feature.ts'
import { removeTimeline } from './timeline.ts'

export const audit = {
  name: 'audit',
  tables: ['audit', 'auditWriter', 'auditVerification', 'timelineEntry', 'trustedClock'],
  userEnds: [{ place: 2, run: (db, { userId }) => removeTimeline(db, userId) }],
} as const satisfies Feature
