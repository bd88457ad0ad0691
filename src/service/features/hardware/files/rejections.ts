import type { RejectionCode } from '../../../../admin-contract/stock.ts'
import type { Rejected } from '../../../engine/base/import-rows.ts'

/** A row that cannot be imported. */
export const reject = (line: number, code: RejectionCode, reason: string): Rejected => ({ line, code, reason })
