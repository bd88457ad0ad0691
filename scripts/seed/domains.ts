import type { NewDomain } from '../../src/service/features/domains/administration.ts'

interface SeededDomain extends Pick<NewDomain, 'name' | 'type' | 'emailOtpEnabled'> {
  /** The share of all people who belong to it first. */
  readonly share: number
  /** The share of its people who have a device, a passkey or a hardware token. */
  readonly enrolled: number
}

/** The domains range from one that is nearly done to one that has just begun. */
export const seededDomains: readonly SeededDomain[] = [
  { name: 'Intranet', type: 'WEB', share: 0.45, enrolled: 0.93 },
  { name: 'Mail', type: 'WEB', emailOtpEnabled: true, share: 0.25, enrolled: 0.71 },
  { name: 'VPN', type: 'RADIUS', share: 0.15, enrolled: 0.84 },
  { name: 'Students', type: 'WEB', emailOtpEnabled: true, share: 0.14, enrolled: 0.38 },
  { name: 'Contractors', type: 'WEB', share: 0.01, enrolled: 0.12 },
]
