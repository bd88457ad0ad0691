/**
 * Runs a step in the same turn unless it has to wait for a promise. Nearly every request is from a verified user and waits for
 * nothing: with promises alone, `mfa()` needed 40 microseconds more for it.
 */
export function whenKnown<T>(value: T | Promise<T>, run: (value: T) => void | Promise<void>): void | Promise<void> {
  return value instanceof Promise ? value.then(run) : run(value)
}
