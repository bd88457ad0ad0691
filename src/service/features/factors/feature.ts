import { noticeRetention } from '../../../contract/device.ts'
import { removal } from '../../engine/database/due.ts'
import type { Feature } from '../../engine/steps/feature.ts'

export const factors = {
  name: 'factors',
  tables: ['deviceNotice'],
  removals: {
    oldNotices: {
      place: 18,
      removeSome: removal('deviceNotice', ['sequence'], (is, now) => is('createdAt', '<=', now - noticeRetention)),
    },
  },
} as const satisfies Feature
