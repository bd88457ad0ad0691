import type { Challenge } from '../../challenge/challenge.ts'
import type { SentFactor } from '../../contract/factor-descriptions.ts'
import type { Factor } from '../../contract/factor.ts'
import type { ApprovalReason } from '../../contract/approval-state.ts'
import type { SessionReason } from '../../contract/sessions.ts'

/** The members of every event. Events contain ids and facts; never a code, a number, a key or a cookie. */
interface EventContext {
  /** Unix time, seconds. */
  readonly at: number
  /** The app user as the service knows it: `username:…` or `id:…`. */
  readonly userKey: string | undefined
  /** Where the request came from, as Express sees it. */
  readonly address: string | undefined
  /** Identifies the request in the app's log, and in the log and audit trail of the service. */
  readonly requestId: string
}

/** An event of the web half. The union is closed: switch on `type`. */
export type MfaEvent = EventContext &
  (
    | { readonly type: 'challenge.opened'; readonly purpose: Challenge['purpose'] }
    | { readonly type: 'push.sent'; readonly sessionId: string }
    | { readonly type: 'push.ended'; readonly sessionId: string; readonly reason: SessionReason }
    | { readonly type: 'push.throttled'; readonly until: number }
    | { readonly type: 'enrollment.offered' }
    /** A factor of the user was changed; an app may want to notify the user by e-mail. */
    | {
        readonly type: 'factor.added' | 'factor.replaced' | 'factor.removed'
        readonly kind: 'device' | 'app' | 'hardware' | 'passkey'
        /** The id of the new factor, or of the removed one; undefined if the service does not say. */
        readonly id: string | undefined
      }
    /** The factors that `importFactors` returned are stored: the app may delete its own copy. */
    | { readonly type: 'factors.imported'; readonly sessionId: string | undefined }
    | { readonly type: 'device.renamed'; readonly id: string }
    | { readonly type: 'passkey.renamed'; readonly id: string }
    /** The user entered a code that an administrator handed over, and may add a passkey. */
    | { readonly type: 'passkey.allowed'; readonly sessionId: string }
    | { readonly type: 'recovery_codes.made'; readonly count: number }
    /** A browser was remembered; it passed the gate; it was kept; or one or all browsers of the user were forgotten. */
    | { readonly type: 'browser.remembered' | 'browser.recognized' | 'browser.kept'; readonly until: number }
    | { readonly type: 'browsers.forgotten' }
    /** The user has ended all other verified web sessions. */
    | { readonly type: 'sessions.ended' }
    /** The service could not be asked whether a verified web session was ended: it stays valid until then at most. */
    | { readonly type: 'verification.unchecked'; readonly until: number }
    | { readonly type: 'code.wrong' }
    /** A code did not count, because only a passkey does. */
    | { readonly type: 'code.refused'; readonly sessionId: string; readonly reason: SessionReason }
    /** A passkey did not pass. */
    | { readonly type: 'passkey.wrong' }
    | { readonly type: 'code.paused'; readonly until: number }
    | SentEvent<SentFactor>
    | { readonly type: 'challenge.passed'; readonly factor: Factor; readonly sessionId: string | undefined }
    /** An approval that was redeemed already, too old, or given to another challenge. */
    | { readonly type: 'challenge.refused'; readonly sessionId: string | undefined }
    | { readonly type: 'challenge.given_up' }
    /** A person was asked to approve an action of the app. Its approval signs nobody in. */
    | { readonly type: 'approval.requested'; readonly approvalId: string }
    /** The approval was given and is used up: the action runs. */
    | { readonly type: 'approval.approved'; readonly approvalId: string }
    /** `reported`: the person did not ask for this. */
    | { readonly type: 'approval.denied'; readonly approvalId: string; readonly reason: ApprovalReason }
    | { readonly type: 'approval.expired' | 'approval.cancelled'; readonly approvalId: string }
    /** Nobody was asked: no device, too many requests, or the person has blocked the requests of this app. */
    | { readonly type: 'approval.not_asked'; readonly reason: 'no_device' | 'blocked' | 'throttled' }
    | { readonly type: 'post.refused'; readonly path: string }
    | { readonly type: 'service.unavailable'; readonly reason: Trouble }
    /** `failMode` let a user pass the gate without a second step. */
    | { readonly type: 'gate.let_through'; readonly until: number }
    /** `MFA_EMERGENCY_OFF_UNTIL` let a user pass the gate or `requireMfa()`: once a minute for each user. */
    | { readonly type: 'gate.emergency'; readonly until: number }
  )

/** A code was sent to the user; or it failed, as when the mail server did not take the e-mail. */
type SentEvent<F extends SentFactor> = F extends SentFactor
  ? { readonly type: `${F}.sent` } | { readonly type: `${F}.failed` }
  : never

/** An event without the members of every event. */
export type EventFacts = MfaEvent extends infer Event
  ? Event extends MfaEvent
    ? Omit<Event, keyof EventContext>
    : never
  : never

/**
 * Why the service could not be asked: no usable response, none in time, a refusal, an overload; or why the app stopped it:
 * it could not save the web session (`not_stored`), or `importFactors` gave no usable answer (`not_imported`).
 */
export type Trouble = 'unavailable' | 'slow' | 'misconfigured' | 'busy' | 'not_stored' | 'not_imported'
