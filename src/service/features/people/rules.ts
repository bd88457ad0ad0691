import { addressSettlesIn } from '../../../admin-contract/enrollment.ts'
import type { AdminRole } from '../../../contract/roles.ts'
import { notAfter } from '../../engine/base/present.ts'

const day = 24 * 60 * 60

/** How many enrollment mails a person gets in 24 hours. */
export const mailsToPerson = { limit: 3, window: day } as const

/** How many of them an administrator sends. Those who manage domains enroll whole companies. */
export const mailsBy = (role: AdminRole) => ({ limit: role === 'helpdesk' ? 200 : 5_000, window: day }) as const

/** Whether the address is the same as a week ago. An attacker may have changed a newer one. */
export const isAddressSettled = ({ emailChangedAt }: { emailChangedAt: number | null }, now: number): boolean =>
  emailChangedAt === null || notAfter(emailChangedAt, now) + addressSettlesIn <= now

/**
 * How often in 24 hours the limits of one person are lifted, and apart from that its web sessions ended, until an administrator of a
 * role may do it no more. Each time the attacker who knows the password gets ten more codes and five more requests, and all times
 * together stay below the 100 wrong codes of NIST SP 800-63B-4 section 3.2.2.
 */
export const liftLimits: Readonly<Record<AdminRole, number>> = { owner: 5, admin: 5, helpdesk: 3, auditor: 0 }

/** Seconds. */
export const liftWindow = 24 * 60 * 60
