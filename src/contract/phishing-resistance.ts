import { z } from 'zod'

import { isPhishingResistant } from './factor-descriptions.ts'
import type { Factor } from './factor.ts'

/**
 * Whether only factors count that cannot be phished, which are passkeys. `off`: every factor counts; `prefer`: only passkeys
 * count for users who have one; `require`: only passkeys count.
 */
export const PhishingResistance = z.enum(['off', 'prefer', 'require'])
export type PhishingResistance = z.infer<typeof PhishingResistance>

/** The requirement of an app, beyond the policy of its domain. */
export const RequestedPhishingResistance = PhishingResistance.exclude(['off'])
export type RequestedPhishingResistance = z.infer<typeof RequestedPhishingResistance>

/** The policy of a domain, an app, a route or an approval; null and undefined stand for `off`. */
type Policy = PhishingResistance | null | undefined

/** The stricter of two policies. */
export function stricter(first: Policy, second: Policy): PhishingResistance {
  return strictness(first) >= strictness(second) ? (first ?? 'off') : (second ?? 'off')
}

/** Whether a user can pass by nothing but a passkey. */
export function needsPasskey(policy: PhishingResistance, hasPasskey: boolean): boolean {
  return policy === 'require' || (policy === 'prefer' && hasPasskey)
}

/** An approval, and the policy that it was created under. */
interface Approval {
  readonly factor: Factor | null
  readonly phishingResistant?: Policy
}

/** Whether an approval counts under a policy that may be stricter than the one that it was created under. */
export function countsUnder(policy: PhishingResistance, { factor, phishingResistant }: Approval): boolean {
  return (factor !== null && isPhishingResistant(factor)) || strictness(phishingResistant) >= strictness(policy)
}

/** The policy as requests name it; undefined for `off`. */
export const requestedPolicy = (policy: PhishingResistance): RequestedPhishingResistance | undefined =>
  policy === 'off' ? undefined : policy

const strictness = (policy: Policy): number => PhishingResistance.options.indexOf(policy ?? 'off')
