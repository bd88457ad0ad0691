import { notAfter } from './present.ts'
import { randomText } from './random.ts'
import type { Random } from './random.ts'

const minute = 60
const hour = 60 * minute

/** Seconds (NIST SP 800-63B-4 section 3.1.3.2). */
export const emailCodeLifetime = 10 * minute

/** How often a wrong code can be given until an e-mailed one is dead. */
export const mostWrongTries = 5

export const newEmailCode = (random: Random): string => randomText(random, '0123456789', 6)

/** How often a user is sent a code, whatever the domain: it is one mailbox. */
export const emailCodeLimits = (userId: string) => [
  { scope: `email hour:${userId}`, limit: 5, window: hour },
  { scope: `email minute:${userId}`, limit: 1, window: minute },
]

/** Seconds until codes go to an address that was changed: whoever changed it may not be who should read them. */
export function addressRest({ emailChangedAt }: { emailChangedAt: number | null }, now: number): number {
  return emailChangedAt === null ? 0 : Math.max(0, notAfter(emailChangedAt, now) + 24 * hour - now)
}
