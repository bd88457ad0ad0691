import { auditCall } from '../../engine/audit/audit.ts'
import { resynchronize } from '../codes/resynchronize.ts'
import type { Caller } from '../../engine/context/caller.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { removeFreeToken } from './statements.ts'
import { stockTokenById } from '../administrators/scope-statements.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'

/** Deletes a hardware token that belongs to no one. */
export async function deleteFreeToken(call: Caller, id: string): Promise<void> {
  const { organizationId } = call
  await inTransaction(call.store.db, async (db) => {
    if (!(await stockTokenById(db, organizationId, id))) throw new ApiProblem('api.error.notfound.hardware')
    if (!(await removeFreeToken(db, organizationId, id)))
      throw new ApiProblem('api.error.conflict.hardware', 'The token belongs to a person. Take it away first.')
    await auditCall(db, call, 'hardware.deleted', { hardware: id })
  })
}

interface Shown {
  readonly userId: string
  /** Two codes that the token showed one after the other. */
  readonly codes: readonly [string, string]
}

/** Corrects what is known of the clock or the counter of a user's hardware token. */
export async function resynchronizeHardware(call: Caller, { userId, codes }: Shown): Promise<void> {
  await inTransaction(call.store.db, async (db) => {
    const corrected = await resynchronize(call, db, { userId, codes })
    if (corrected === 'no_token') throw new ApiProblem('api.error.notfound.hardware')
    if (corrected === 'wrong_codes')
      throw new ApiProblem('api.error.invalid.otp', 'The codes do not follow each other on the token of this person.')
    await auditCall(db, call, 'hardware.resynchronized', { hardware: corrected.id, user: userId })
  })
}
