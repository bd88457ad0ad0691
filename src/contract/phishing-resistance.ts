import { z } from 'zod'

/**
 * Whether only factors count that cannot be phished, which are passkeys. `off`: every factor counts; `prefer`: only passkeys
 * count for users who have one; `require`: only passkeys count.
 */
export const PhishingResistance = z.enum(['off', 'prefer', 'require'])
export type PhishingResistance = z.infer<typeof PhishingResistance>

/** What an app can ask for beyond the policy of its domain. */
export const RequestedPhishingResistance = PhishingResistance.exclude(['off'])
