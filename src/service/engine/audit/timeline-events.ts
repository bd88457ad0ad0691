import { formerEvents } from '../../../admin-contract/former-events.ts'

/** Events that end a sign-in. */
export const endsOfSignIns = ['session.approved', 'session.denied', 'session.expired', 'session.cancelled'] as const

/**
 * Events about a person that are not in the timeline: the other parts of a sign-in, refusals, of which an attacker can cause any
 * number, and requests for consent to an action, which has an event of its own.
 */
export const leftOut = [
  'session.created',
  'session.redeemed',
  'session.redeem_refused',
  'codes.refused',
  'email_code.sent',
  'browser.known',
  'push.throttled',
  'pin.refused',
  'device.replay_refused',
  'device.forgery_refused',
  'caller.throttled',
  'consent.requested',
  'consent.given',
  'consent.denied',
  'consent.used',
  ...formerEvents.keys(),
]
