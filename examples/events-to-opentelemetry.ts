import type { Attributes } from '@opentelemetry/api'
import { SpanStatusCode, trace } from '@opentelemetry/api'
import type { MfaEvent } from 'second-factor'

const tracer = trace.getTracer('second-factor')

/** `mfa({ onEvent: toOpenTelemetry })`: adds an event to the span of the request, or creates a span if there is none. */
export function toOpenTelemetry(event: MfaEvent): void {
  const { type, at } = event
  const request = trace.getActiveSpan()
  if (request?.isRecording()) return void request.addEvent(type, attributesOf(event), at * 1000)
  const span = tracer.startSpan(type, { attributes: attributesOf(event), startTime: at * 1000 })
  if (type === 'service.unavailable') span.setStatus({ code: SpanStatusCode.ERROR, message: event.reason })
  span.end()
}

/** User and address have names in OpenTelemetry's semantic conventions; the rest gets the prefix `mfa.`. */
function attributesOf({ type: _type, at: _at, userKey, address, ...facts }: MfaEvent): Attributes {
  const own = Object.entries(facts).filter(([, value]) => value !== undefined)
  return {
    ...(userKey !== undefined && { 'enduser.id': userKey }),
    ...(address !== undefined && { 'client.address': address }),
    ...Object.fromEntries(own.map(([name, value]) => [`mfa.${name}`, String(value)])),
  }
}
