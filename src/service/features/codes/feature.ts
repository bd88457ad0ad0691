import { removal } from '../../engine/database/due.ts'
import type { Feature } from '../../engine/steps/feature.ts'

export const codes = {
  name: 'codes',
  tables: ['codeGenerator', 'challengeTry'],
  removals: {
    oldChallengeTries: {
      place: 14,
      removeSome: removal('challengeTry', ['challenge'], (is, now) => is('expiresAt', '<=', now)),
    },
  },
} as const satisfies Feature
