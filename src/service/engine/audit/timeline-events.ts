import { formerEvents } from '../../../admin-contract/former-events.ts'
import { forSentFactors } from '../../../contract/factor-descriptions.ts'
import type { auditEvents, EventName } from './events.ts'

/** An event about a person. */
type PersonEvent = { [E in EventName]: 'user' extends (typeof auditEvents)[E][number] ? E : never }[EventName]

/**
 * What each event about a person is in the timeline. Left out are the other parts of a sign-in, refusals, of which an attacker can
 * cause any number, and requests for consent to an action, which has an event of its own.
 */
const places = {
  'session.created': 'left_out',
  'session.redeemed': 'left_out',
  'session.redeem_refused': 'left_out',
  'codes.refused': 'left_out',
  ...forSentFactors((factor) => `${factor}_code.sent` as const, 'left_out'),
  'browser.known': 'left_out',
  'push.throttled': 'left_out',
  'pin.refused': 'left_out',
  'device.replay_refused': 'left_out',
  'device.forgery_refused': 'left_out',
  'caller.throttled': 'left_out',
  'consent.requested': 'left_out',
  'consent.given': 'left_out',
  'consent.denied': 'left_out',
  'consent.used': 'left_out',
  'session.approved': 'sign_in',
  'session.denied': 'sign_in',
  'session.expired': 'sign_in',
  'session.cancelled': 'sign_in',
  'session.reported': 'change',
  'codes.locked': 'change',
  'codes.unlocked': 'change',
  'push.unlocked': 'change',
  'token.issued': 'change',
  'enrollment.mailed': 'change',
  'enrollment.link_shown': 'change',
  'token.revoked': 'change',
  'token.replacement_issued': 'change',
  'token.replacement_withdrawn': 'change',
  'activation.used': 'change',
  'device.renamed': 'change',
  'device.revoked': 'change',
  'device.removed': 'change',
  'pin.exhausted': 'change',
  'user.created': 'change',
  'user.changed': 'change',
  'user.deleted': 'change',
  'user.reset': 'change',
  'user.sessions_ended': 'change',
  'user.mail_reported': 'change',
  'membership.added': 'change',
  'membership.removed': 'change',
  'hardware.enrolled': 'change',
  'hardware.assigned': 'change',
  'hardware.released': 'change',
  'hardware.resynchronized': 'change',
  'factors.imported': 'change',
  'passkey.added': 'change',
  'passkey.renamed': 'change',
  'passkey.removed': 'change',
  'passkey.counter_regressed': 'change',
  'bypass.created': 'change',
  'bypass.deleted': 'change',
  'bypass.all_deleted': 'change',
  'browser.remembered': 'change',
  'browser.kept': 'change',
  'browser.forgotten': 'change',
  'browsers.forgotten': 'change',
  'administrator.record_linked': 'change',
  'administrator.record_denied': 'change',
  'approval.answered': 'change',
  'approval.requester_blocked': 'change',
  'approval.requester_unblocked': 'change',
  'oidc.signed_in': 'change',
  'caller.asked': 'change',
  'caller.confirmed': 'change',
  'caller.denied': 'change',
} as const satisfies Readonly<Record<PersonEvent, 'sign_in' | 'change' | 'left_out'>>

type Places = typeof places

type EventsAt<Place> = { [E in PersonEvent]: Places[E] extends Place ? E : never }[PersonEvent]

/** An event that ends a sign-in. */
export type EndOfSignIn = EventsAt<'sign_in'>

const eventsAt = <P extends Places[PersonEvent]>(place: P) =>
  Object.entries(places).flatMap(([event, each]) => (each === place ? [event as EventsAt<P>] : []))

export const endsOfSignIns = eventsAt('sign_in')

/** Events about a person that are not in the timeline. */
export const leftOut: readonly string[] = [...eventsAt('left_out'), ...formerEvents.keys()]
