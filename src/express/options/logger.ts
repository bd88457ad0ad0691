import { z } from 'zod'

import type { Logger } from './app.ts'

const consoleLogger: Logger = {
  // oxlint-disable-next-line no-console -- only while developing, see createFirstRequests()
  info: (message) => console.info(message),
  warn: (message) => process.emitWarning(message.replace(/^mfa: /, ''), { type: 'MfaWarning' }),
  // oxlint-disable-next-line no-console -- without a logger there is no other place
  error: (message) => console.error(message),
}

/** Checks a {@link Logger}. By default, the console gets warnings and errors. */
export const LoggerSchema = z
  .custom<Logger>((value) => typeof value === 'object' && value !== null, 'must have info, warn and error')
  .default(() => consoleLogger)
