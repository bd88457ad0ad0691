import { removal } from '../database/due.ts'
import type { Feature } from '../steps/feature.ts'

export const idempotency = {
  name: 'idempotency',
  tables: ['rememberedAnswer'],
  removals: {
    expiredAnswers: {
      place: 27,
      beforeRotation: true,
      removeSome: removal('rememberedAnswer', ['id'], (is, now) => is('expiresAt', '<=', now)),
    },
  },
} as const satisfies Feature
