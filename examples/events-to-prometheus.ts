import { Counter } from 'prom-client'
import type { Registry } from 'prom-client'
import type { MfaEvent } from 'second-factor'

/** `mfa({ onEvent: toPrometheus(register) })`: counts events by type, factor and reason. */
export function toPrometheus(register: Registry) {
  const events = new Counter({
    name: 'mfa_events_total',
    help: 'Events of the second step in this app, by type, factor and reason; number of events.',
    labelNames: ['type', 'factor', 'reason'],
    registers: [register],
  })
  return (event: MfaEvent): void => {
    const factor = 'factor' in event ? event.factor : 'none'
    const reason = 'reason' in event ? event.reason : 'none'
    events.inc({ type: event.type, factor, reason })
  }
}
