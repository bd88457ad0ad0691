import { lastCodeAt } from '../codes/totp.ts'
import { shownParameters, timeStepOf, typeOf } from '../../../contract/hardware.ts'
import type { CodeParameters, HardwareToken } from '../../../contract/hardware.ts'
import type { HardwareTokenRow } from './statements.ts'

type ExactToken = HardwareToken & Pick<CodeParameters, 'algorithm' | 'digits'>

export function hardwareView(token: HardwareTokenRow): ExactToken {
  const { counter, period } = token
  return {
    id: token.id,
    alias: token.alias,
    serialNumber: token.serialNumber,
    type: typeOf(token.digits),
    timeStep: timeStepOf(period),
    ...shownParameters({ ...token, counter: counter ?? undefined }),
    syncState: token.syncState,
    user: token.userId ?? '',
    ...(token.selfEnrolled === 1 && { selfEnrolled: true }),
    createdAt: token.createdAt,
    lastUsedAt: counter === null ? lastCodeAt(token) : (token.usedAt ?? undefined),
  }
}
