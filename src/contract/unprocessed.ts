/**
 * Header of a 503 that was sent before anything was done for its request, so that the request can be sent again whatever it
 * does. `closing`: the service is about to end. `overload`: it has more requests than it can serve.
 */
export const unprocessedHeader = 'Unprocessed'

const reasons = ['closing', 'overload'] as const
export type Unprocessed = (typeof reasons)[number]

/** Reads the header of a 503. @returns undefined where it does not say so, as with services of version 1.3. */
export function readUnprocessed(header: string | null): Unprocessed | undefined {
  return reasons.find((reason) => reason === header)
}
