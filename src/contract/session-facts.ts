import { z } from 'zod'

import { strippedText } from './text.ts'

export const SessionState = z.enum(['pending', 'approved', 'denied', 'expired', 'cancelled'])
export type SessionState = z.infer<typeof SessionState>

/** Why a session was not approved. */
export const SessionReason = z.enum([
  'user_denied',
  'reported',
  'wrong_number',
  'timeout',
  'cancelled',
  'push_failed',
  'wrong_code',
  'wrong_passkey',
  'phishing_resistance_required',
  'unknown_browser',
])
export type SessionReason = z.infer<typeof SessionReason>

/**
 * What an approval allows; the device shows it. Changing devices is the stronger right: an approval for signing in never
 * allows it.
 */
export const SessionPurpose = z.enum(['sign_in', 'change_devices'])
export type SessionPurpose = z.infer<typeof SessionPurpose>

/** How many attributes a device shows, and their maximum lengths, characters. */
export const attributeLimits = Object.freeze({ count: 16, key: 64, value: 256, purpose: 60 })

/** The attribute of the place that a sign-in comes from, as the app knows it. */
export const placeKey = 'Place'

/** Information that the device shows to help the person decide. */
export const Attribute = z.object({
  key: strippedText(0, attributeLimits.key),
  value: strippedText(0, attributeLimits.value),
})
export type Attribute = z.infer<typeof Attribute>
