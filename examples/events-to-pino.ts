import type { MfaEvent } from 'second-factor'
import type { Logger } from 'pino'

/** `warn` is worth a look during the day, `error` is worth waking an operator. */
const levels: Partial<Record<MfaEvent['type'], 'warn' | 'error'>> = {
  'code.paused': 'warn',
  'push.throttled': 'warn',
  'post.refused': 'warn',
  'gate.let_through': 'error',
  'gate.emergency': 'error',
  'service.unavailable': 'error',
}

/** `mfa({ onEvent: toPino(logger) })`: one line per event, with the type as the message. */
export function toPino(logger: Logger) {
  return ({ type, at, ...facts }: MfaEvent): void => {
    logger[levels[type] ?? 'info']({ ...facts, happenedAt: new Date(at * 1000).toISOString() }, type)
  }
}
