import type { Domain } from '../../contract/domains.ts'
import { Factor } from '../../contract/users.ts'
import type { User } from '../../contract/users.ts'
import type { DomainRow } from '../store/domains.ts'
import type { Belongings } from '../store/belongings.ts'
import type { UserRow } from '../store/users.ts'
import { epochOf } from '../rules/epoch.ts'
import { lastCodeAt } from '../rules/totp.ts'
import type { BypassCode } from '../../contract/bypass-codes.ts'
import type { HardwareToken } from '../../contract/hardware.ts'
import type { Session } from '../../contract/sessions.ts'
import type { Passkey } from '../../contract/passkeys.ts'
import type { BypassCodeRow } from '../store/bypass-codes.ts'
import type { HardwareTokenRow } from '../store/hardware.ts'
import type { PasskeyRow } from '../store/passkeys.ts'
import type { SessionRow } from '../store/sessions.ts'

export function domainView(domain: DomainRow): Domain {
  return {
    ...domain,
    requestPollingEnabled: domain.requestPollingEnabled === 1,
    bypassEnabled: domain.bypassEnabled === 1,
    emailOtpEnabled: domain.emailOtpEnabled === 1,
    synchronizationVersion: domain.synchronizationApplied,
  }
}

export function userView(user: UserRow, has: Belongings | undefined): User {
  return {
    id: user.id,
    username: user.username,
    name: user.name,
    email: user.email,
    domains: has?.domainIds ?? [],
    hardware: has?.hardwareId ?? '',
    bypasscodes: has?.bypassCodeIds ?? [],
    factors: has ? factorsOf(user, has) : [],
    passkeys: has?.passkeyRpIds ?? [],
    phishingResistant: has && Object.keys(has.policies).length > 0 ? has.policies : undefined,
    everEnrolled: user.everEnrolled === 1,
    hadBypassCodes: user.hadCodes === 1,
    epoch: epochOf(user),
    language: user.language ?? undefined,
    timeZone: user.timeZone ?? undefined,
  }
}

/** Factors that the user can use now, in at least one domain. */
function factorsOf(user: UserRow, has: Belongings): Factor[] {
  const present: Record<Factor, boolean> = {
    passkey: has.passkeyRpIds.length > 0,
    push: has.hasActiveToken,
    otp: has.hasDeviceCodes || has.hardwareId !== undefined,
    email: has.domainTakesEmail && user.email !== '',
    bypass: has.domainTakesBypass && has.bypassCodeIds.length > 0,
  }
  return Factor.options.filter((factor) => present[factor])
}

export function sessionView(session: SessionRow): Session {
  return {
    id: session.id,
    state: session.state,
    reason: session.reason ?? undefined,
    factor: session.factor ?? undefined,
    factorId: session.factorId ?? undefined,
    userVerified: session.userVerified === 1 ? true : undefined,
    purpose: session.purpose,
    // A settled session needs no number.
    number: session.state === 'pending' ? (session.number ?? undefined) : undefined,
    keepBrowser: session.browser === 'keeping' ? true : undefined,
    fromKeptBrowser: session.browser === 'kept' ? true : undefined,
    createdAt: session.createdAt,
    expiresAt: session.expiresAt,
    settledAt: session.settledAt ?? undefined,
  }
}

export function hardwareView(token: HardwareTokenRow): HardwareToken {
  return {
    id: token.id,
    alias: token.alias,
    serialNumber: token.serialNumber,
    type: token.digits === 6 ? 'TOTP6' : 'TOTP8',
    timeStep: `${token.period}s`,
    syncState: token.syncState,
    user: token.userId ?? '',
    ...(token.selfEnrolled === 1 && { selfEnrolled: true }),
    createdAt: token.createdAt,
    lastUsedAt: lastCodeAt(token),
  }
}

export function passkeyView(row: Omit<PasskeyRow, 'sequence'>): Passkey {
  return {
    id: row.id,
    credentialId: row.credentialId,
    rpId: row.rpId,
    name: row.name,
    syncable: row.syncable === 1,
    synced: row.synced === 1,
    createdAt: row.createdAt,
    lastUsedAt: row.lastUsedAt ?? undefined,
  }
}

/** A passkey as the options of a ceremony name it. */
export function descriptorOf({ credentialId, transports }: Pick<PasskeyRow, 'credentialId' | 'transports'>) {
  return { id: credentialId, type: 'public-key', transports: JSON.parse(transports) as string[] } as const
}

/** @param code Undefined if it must not be shown. */
export function bypassCodeView(row: BypassCodeRow, code: string | undefined): BypassCode {
  return {
    id: row.id,
    ...(code !== undefined && { code }),
    usesAllowed: row.usesAllowed,
    usesRemaining: row.usesRemaining,
    dtExpiry: `${new Date(row.expiresAt * 1000).toISOString().slice(0, 19)}+0000`,
    user: row.userId,
  }
}
