import { lastCodeAt } from '../codes/totp.ts'
import { timeStepOf, typeOf } from '../../../contract/hardware.ts'
import type { CodeParameters, HardwareToken } from '../../../contract/hardware.ts'
import type { HardwareTokenRow } from './statements.ts'

export function hardwareView(token: HardwareTokenRow): HardwareToken & CodeParameters {
  return {
    id: token.id,
    alias: token.alias,
    serialNumber: token.serialNumber,
    type: typeOf(token.digits),
    timeStep: timeStepOf(token.period),
    algorithm: token.algorithm,
    digits: token.digits,
    period: token.period,
    syncState: token.syncState,
    user: token.userId ?? '',
    ...(token.selfEnrolled === 1 && { selfEnrolled: true }),
    createdAt: token.createdAt,
    lastUsedAt: lastCodeAt(token),
  }
}
