import type { Feature } from '../../engine/steps/feature.ts'

export const domains = {
  name: 'domains',
  tables: ['organization', 'domain', 'domainImage', 'apiKey'],
} as const satisfies Feature
