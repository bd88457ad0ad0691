/** The header that names a request in the logs of both halves. */
export const requestIdHeader = 'X-Request-Id'

/**
 * Reads the name that a caller gave to a request. It goes into log lines and audit entries, so only short, printable ASCII
 * without quotes, brackets or spaces is taken. A text of the form of an API key is not: a key does not belong into a log.
 *
 * @returns undefined when there is no name, or one that must not be logged.
 */
export function readRequestId(given: unknown): string | undefined {
  if (typeof given !== 'string' || !/^[\w.:/+=-]{1,64}$/.test(given)) return undefined
  return /^[A-Za-z0-9]{64}$/.test(given) ? undefined : given
}
