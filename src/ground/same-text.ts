import { timingSafeEqual } from 'node:crypto'

/** Compares a secret with text from outside, in a time that does not depend on how much of it is right. */
export function isSameText(expected: string, actual: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(actual)]
  return a.length === b.length && timingSafeEqual(a, b)
}
