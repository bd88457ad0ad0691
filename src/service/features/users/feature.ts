import type { Feature } from '../../engine/steps/feature.ts'

export const users = {
  name: 'users',
  tables: ['user', 'membership', 'synchronization', 'synchronizedUser'],
} as const satisfies Feature
