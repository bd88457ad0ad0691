import type * as Pino from 'pino'

import { SetupError } from '../../service-handle.ts'
import type { Logger } from '../../service/engine/base/logger.ts'
import { loadIfInstalled } from '../../service/engine/base/optional-package.ts'

export const logLevels = ['silent', 'error', 'warn', 'info'] as const
export type LogLevel = (typeof logLevels)[number]

/** Logs JSON lines to stderr, with pino if it is installed. */
export async function createLogger(level: LogLevel): Promise<Logger> {
  try {
    const loaded = await loadIfInstalled(optional, () => import('pino'))
    return loaded ? pinoLogger(loaded, level) : plainLogger(level)
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    const logger = plainLogger(level)
    logger.warn({}, `Logging without pino. ${error.message}`)
    return logger
  }
}

const optional = { name: 'pino', purpose: 'Logging with pino', oldest: '8' }

function pinoLogger({ destination, pino }: Pick<typeof Pino, 'destination' | 'pino'>, level: LogLevel): Logger {
  const logger = pino({ level }, destination({ fd: 2, sync: true }))
  return {
    error: (details, message) => logger.error(details, message),
    warn: (details, message) => logger.warn(details, message),
    info: (details, message) => logger.info(details, message),
  }
}

function plainLogger(level: LogLevel): Logger {
  const write = (entryLevel: LogLevel) => (details: object, message: string) => {
    if (logLevels.indexOf(entryLevel) > logLevels.indexOf(level)) return
    console.error(JSON.stringify({ level: entryLevel, time: Date.now(), ...serializable(details), msg: message }))
  }
  return { error: write('error'), warn: write('warn'), info: write('info') }
}

/** JSON.stringify() omits the properties of errors. */
function serializable(details: object): object {
  const entries = Object.entries(details).map(([key, value]: [string, unknown]) => [
    key,
    value instanceof Error ? { type: value.name, message: value.message, stack: value.stack } : value,
  ])
  return Object.fromEntries(entries) as object
}
