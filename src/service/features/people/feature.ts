import type { Feature } from '../../engine/steps/feature.ts'

export const people = { name: 'people', tables: ['enrollmentCount'] } as const satisfies Feature
