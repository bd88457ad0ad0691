import type { Engine } from './engine.ts'

/** People are found without case and accents, by the same fold on both databases. */
export const foldedSearch = (engine: Engine): readonly string[] => engine.foldedSearch
