import type { Logger } from '../../service/ground/logger.ts'

/** For commands that end at once: what their user has to know, as a line on stderr. */
export const noteLogger: Logger = {
  info: () => {},
  // A command says itself what it revoked.
  warn: (details, message) => ('revocation' in details ? undefined : console.error(message)),
  error: (_details, message) => console.error(message),
}
