import { lastCodeAt } from '../codes/totp.ts'
import type { HardwareToken } from '../../../contract/hardware.ts'
import type { HardwareTokenRow } from './statements.ts'

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
