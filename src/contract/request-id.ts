/** The header with the id of a request, for the logs of the web app and of the service. */
export const requestIdHeader = 'X-Request-Id'

/**
 * Validates a request id from a caller. It is written to logs and the audit trail, so only short, printable ASCII without
 * quotes, brackets or spaces is accepted, and nothing that looks like an API key, which must not be logged.
 *
 * @returns undefined when there is no id, or an invalid one.
 */
export function readRequestId(id: unknown): string | undefined {
  if (typeof id !== 'string' || !/^[\w.:/+=-]{1,64}$/.test(id)) return undefined
  return /^[A-Za-z0-9]{64}$/.test(id) ? undefined : id
}
