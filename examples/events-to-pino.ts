import type { MfaEvent } from 'second-factor'
import type { Logger } from 'pino'

/** What somebody should look at, and what somebody should get up for. */
const levels: Partial<Record<MfaEvent['type'], 'warn' | 'error'>> = {
  'code.paused': 'warn',
  'push.throttled': 'warn',
  'post.refused': 'warn',
  'gate.let_through': 'error',
  'service.unavailable': 'error',
}

/** `mfa({ onEvent: toPino(logger) })`: one line for each event, its type as the message. */
export function toPino(logger: Logger) {
  return ({ type, at, ...facts }: MfaEvent): void => {
    logger[levels[type] ?? 'info']({ ...facts, happenedAt: new Date(at * 1000).toISOString() }, type)
  }
}
