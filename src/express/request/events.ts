import { channel } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'

import type { Challenge } from '../../challenge/challenge.ts'
import type { Factor } from '../../contract/users.ts'
import type { SessionReason } from '../../contract/sessions.ts'
import type { Trouble } from './trouble.ts'
import { clientAddress } from './client-facts.ts'
import type { RequestContext } from './context.ts'

/** What every event says. Ids and facts; never a code, a number, a key or a cookie. */
interface EventContext {
  /** Unix time, seconds. */
  readonly at: number
  /** The app user as the service knows it: `username:…` or `id:…`. */
  readonly userKey: string | undefined
  /** Where the request came from, as Express sees it. */
  readonly address: string | undefined
  /** Names the request in the app's log lines, and in log and audit trail of the service. */
  readonly requestId: string
}

/** What happened in the web half. Closed: switch on `type`. */
export type MfaEvent = EventContext &
  (
    | { readonly type: 'challenge.opened'; readonly purpose: Challenge['purpose'] }
    | { readonly type: 'push.sent'; readonly sessionId: string }
    | { readonly type: 'push.ended'; readonly sessionId: string; readonly reason: SessionReason }
    | { readonly type: 'push.throttled'; readonly until: number }
    | { readonly type: 'enrollment.offered' }
    /** What somebody can pass the second step with was changed; an app may want to tell them so by e-mail. */
    | {
        readonly type: 'factor.added' | 'factor.replaced' | 'factor.removed'
        readonly kind: 'device' | 'app' | 'hardware'
        /** Of the new one, or of the one that was removed; undefined where the service does not say. */
        readonly id: string | undefined
      }
    | { readonly type: 'recovery_codes.made'; readonly count: number }
    /** A browser got a marker, passed the gate by it, or all of the user's are worth nothing now. */
    | { readonly type: 'browser.remembered' | 'browser.recognised'; readonly until: number }
    | { readonly type: 'browsers.forgotten' }
    /** The user, by this web session, has ended the others. */
    | { readonly type: 'sessions.ended' }
    /** The service could not be asked whether a verified web session was ended: it goes on, until then at most. */
    | { readonly type: 'verification.unchecked'; readonly until: number }
    | { readonly type: 'code.wrong' }
    | { readonly type: 'code.paused'; readonly until: number }
    | { readonly type: 'email.sent' }
    /** The mail server did not take the e-mail with the code. */
    | { readonly type: 'email.failed' }
    | { readonly type: 'challenge.passed'; readonly factor: Factor; readonly sessionId: string | undefined }
    /** An approval that was used up, too old, or given to another challenge. */
    | { readonly type: 'challenge.refused'; readonly sessionId: string | undefined }
    | { readonly type: 'challenge.given_up' }
    | { readonly type: 'post.refused'; readonly path: string }
    | { readonly type: 'service.unavailable'; readonly reason: Trouble }
    /** `failMode` let somebody pass the gate without a second step. */
    | { readonly type: 'gate.let_through'; readonly until: number }
  )

/** An event without what every event says. */
export type EventFacts = MfaEvent extends infer Event
  ? Event extends MfaEvent
    ? Omit<Event, keyof EventContext>
    : never
  : never

/** Everything is published here as well, for tools that watch a process from outside of the app. */
export const eventChannel = channel('second-factor:event')

/** Tells the app. What its listener throws is logged and changes nothing. */
export function emit(req: IncomingMessage, context: RequestContext, happening: EventFacts): void {
  const { clock, onEvent, logger } = context.mfa.options
  if (!onEvent && !eventChannel.hasSubscribers && !context.trace) return
  const event = Object.freeze({
    at: clock.now(),
    userKey: context.userKey,
    address: clientAddress(req),
    requestId: context.requestId(),
    ...happening,
  }) as MfaEvent
  context.trace?.tell(event)
  if (eventChannel.hasSubscribers) eventChannel.publish(event)
  try {
    onEvent?.(event)
  } catch (error) {
    logger.error(
      `mfa: onEvent failed: ${error instanceof Error ? error.message : String(error)} (request ${context.requestId()})`,
    )
  }
}
