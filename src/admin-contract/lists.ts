import { z } from 'zod'

import { queryShapes } from './query-shapes.ts'

/** How many rows a list has: exact up to 1,000, which `more` says are not all. */
export const Total = z.object({ count: z.int(), more: z.boolean() })
export type Total = z.infer<typeof Total>

/** The position of the first row of a page, from 1, as a query says it. */
export const From = z.string().regex(queryShapes.from).optional()

/** The members that each page of a list has, beside its rows. */
export const listed = {
  /** The position of the first row, from 1. */
  from: z.int(),
  total: Total,
  /** The `from` of the next page, if there is one. */
  next: z.int().optional(),
}

export const SortOrder = z.enum(['asc', 'desc'])
export type SortOrder = z.infer<typeof SortOrder>
