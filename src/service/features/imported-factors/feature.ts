import type { Feature } from '../../engine/steps/feature.ts'

/** Factors that another system made. They are stored as the features that own them store their own. */
export const importedFactors = { name: 'imported-factors', tables: [] } as const satisfies Feature
