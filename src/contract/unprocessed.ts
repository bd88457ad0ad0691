/**
 * Header of a 503 for a request that was not processed at all, so that it is safe to retry, whatever it does.
 * `closing`: the service is shutting down. `overload`: it has more requests than it can serve.
 */
export const unprocessedHeader = 'Unprocessed'

const reasons = ['closing', 'overload'] as const
export type Unprocessed = (typeof reasons)[number]

/** Reads the header of a 503. @returns undefined where it is absent, as with services of version 1.3. */
export function readUnprocessed(header: string | null): Unprocessed | undefined {
  return reasons.find((reason) => reason === header)
}
