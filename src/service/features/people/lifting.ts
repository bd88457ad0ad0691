import type { AdminRole } from '../../../contract/admin/roles.ts'

/**
 * How often in 24 hours the limits of one person are lifted, and apart from that its web sessions ended, until an administrator of a
 * role may do it no more. Each time the attacker who knows the password gets ten more codes and five more requests, and all times
 * together stay below the 100 wrong codes of NIST SP 800-63B-4 section 3.2.2.
 */
export const liftLimits: Readonly<Record<AdminRole, number>> = { owner: 5, admin: 5, helpdesk: 3, auditor: 0 }

/** Seconds. */
export const liftWindow = 24 * 60 * 60
