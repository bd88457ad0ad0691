import { channel } from 'node:diagnostics_channel'
import { runListener } from '../../ground/run-listener.ts'
import type { HttpRequest } from '../framework/http-request.ts'
import { clientAddress } from './client-facts.ts'
import type { RequestContext } from './context.ts'
import type { MfaEvent, EventFacts } from '../options/mfa-event.ts'

/** All events are published here as well, for tools that observe a process from outside the app. */
export const eventChannel = channel('second-factor:event')

/** Emits an event. An error of the app's listener is logged and has no other effect. */
export function emit(req: HttpRequest, context: RequestContext, facts: EventFacts): void {
  const { clock, onEvent, logger } = context.mfa.options
  if (!onEvent && !eventChannel.hasSubscribers && !context.trace) return
  const event = Object.freeze({
    at: clock.now(),
    userKey: context.userKey,
    address: clientAddress(req),
    requestId: context.requestId(),
    ...facts,
  }) as MfaEvent
  context.trace?.tell(event)
  if (eventChannel.hasSubscribers) eventChannel.publish(event)
  if (!onEvent) return
  runListener(
    () => onEvent(event),
    (error) =>
      logger.error(
        `mfa: onEvent failed: ${error instanceof Error ? error.message : String(error)} (request ${context.requestId()})`,
      ),
  )
}
