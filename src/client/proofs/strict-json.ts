import type { z } from 'zod'

import type { ProofFault } from './proof-error.ts'
import { check } from './proof-error.ts'

/**
 * Parses JSON that has been signed. A member that occurs twice is refused, because programs differ on which of the two counts.
 *
 * @throws {ProofError} with this fault.
 */
export function parseStrictJson<S extends z.ZodType>(text: string, schema: S, fault: ProofFault): z.output<S> {
  const value = parse(text)
  check(value !== undefined && memberNames(text) === members(value), fault)
  const parsed = schema.safeParse(value)
  check(parsed.success, fault)
  return parsed.data
}

/** @returns undefined for text that is not JSON; no JSON has this value. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Counts the names of members in the text of valid JSON: the strings before a colon. */
function memberNames(text: string): number {
  const strings = text.matchAll(/"(?:[^"\\]|\\.)*"([ \t\n\r]*:)?/g)
  let count = 0
  for (const [, colon] of strings) if (colon !== undefined) count += 1
  return count
}

/** Counts the members that were left after parsing: the last of each name. Without recursion, as nothing limits the depth. */
function members(value: unknown): number {
  let count = 0
  const pending = [value]
  while (pending.length > 0) {
    const current = pending.pop()
    if (typeof current !== 'object' || current === null) continue
    if (!Array.isArray(current)) count += Object.keys(current).length
    for (const nested of Object.values(current)) pending.push(nested)
  }
  return count
}
