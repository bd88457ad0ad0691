import type { Engine } from './engine.ts'

/**
 * What people are found by: one row for each person, and one for each device in use and each hardware token, with its domain. An
 * administrator of one app must not find a person by the name of a device in another app, so what is found has to say which
 * domain it belongs to. Triggers keep the rows up to date.
 */
export const searchRows = (engine: Engine): readonly string[] => engine.searchRows
