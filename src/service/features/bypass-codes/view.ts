import type { BypassCode } from '../../../contract/bypass-codes.ts'
import type { BypassCodeRow } from './statements.ts'

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
