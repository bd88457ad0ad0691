import { removal } from '../../engine/database/due.ts'
import type { Feature } from '../../engine/steps/feature.ts'

export const bulkJobs = {
  name: 'bulk-jobs',
  tables: ['bulkJob', 'bulkItem'],
  removals: {
    oldBulkItems: {
      place: 10,
      removeSome: removal('bulkItem', ['jobId', 'userId'], (is, now) => is('expiresAt', '<=', now)),
    },
    oldBulkJobs: {
      place: 11,
      removeSome: removal('bulkJob', ['id'], (is, now) => is('expiresAt', '<=', now)),
    },
  },
} as const satisfies Feature
