import { z } from 'zod'

/** Which page of a list: one of the two. */
export const pageQuery = {
  /** Its number, from 1. */
  page: z.union([z.string(), z.number()]).optional(),
  /**
   * Reads the list by key: empty for the first page, then what the header `Link` names as the next one. Rows that are added or deleted
   * meanwhile shift no other row to another page. 1.4.
   */
  after: z.string().optional(),
}
