import { addressSettlesIn } from '../../../contract/admin/enrollment.ts'
import type { AdminRole } from '../../../contract/admin/roles.ts'
import { notAfter } from '../../engine/base/present.ts'

const day = 24 * 60 * 60

/** How many enrollment mails a person gets in 24 hours. */
export const mailsToPerson = { limit: 3, window: day } as const

/** How many of them an administrator sends. Those who manage domains enroll whole companies. */
export const mailsBy = (role: AdminRole) => ({ limit: role === 'helpdesk' ? 200 : 5_000, window: day }) as const

/** Whether the address is the same as a week ago. An attacker may have changed a newer one. */
export const isAddressSettled = ({ emailChangedAt }: { emailChangedAt: number | null }, now: number): boolean =>
  emailChangedAt === null || notAfter(emailChangedAt, now) + addressSettlesIn <= now
