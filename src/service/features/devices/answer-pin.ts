import type { ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { pinRule } from './statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { readCommitted } from '../../engine/database/transaction-ends.ts'
import { checkPin, reserveAttempt } from './check-pin.ts'
import { consumeCall } from './signed-call.ts'
import type { SignedCall } from './signed-call.ts'

/** The result of the PIN check. */
export type PinResult = 'not-required' | 'late' | 'right'

interface PinInput {
  /** Whether the answer says yes: only then a PIN is needed. */
  readonly agrees: boolean
  readonly pin: string | undefined
  readonly attempt: string | undefined
}

/**
 * Verifies the PIN of an answer that says yes, if the domain requires one, in its own transaction, so that the attempt counts
 * whatever follows. Only users who know the PIN learn whether the number is right.
 *
 * @param isPending Whether what is answered still waits for it; checks the nonce first, and throws if it is wrong.
 * @returns `late` if it was already settled, so that no PIN was checked: even if a clock is set back, it must not become
 * pending again. Unless the result is `not-required`, the signed call has been used up.
 */
export async function verifyAnswerPin(
  ctx: ServiceContext,
  call: SignedCall,
  { agrees, pin, attempt = call.claims.jti }: PinInput,
  isPending: (db: Queryable) => Promise<boolean>,
): Promise<PinResult> {
  const rule = agrees ? await pinRule(ctx.store.db, call.device.domainId) : undefined
  if (!rule || rule.keyType === 'NONE') return 'not-required'
  const reserved = await readCommitted(ctx.store.db).execute(async (db) => {
    await consumeCall(db, call)
    // A settled request or call is only compared: repeating a lost answer costs no attempt.
    if (!(await isPending(db))) return undefined
    if (pin === undefined) throw new ApiProblem('api.error.invalid.pin', 'pin: required.')
    return reserveAttempt(ctx, db, { device: call.device, attempt, max: rule.maxAllowedRetries })
  })
  if (!reserved) return 'late'
  await checkPin(ctx, reserved, pin ?? '')
  return 'right'
}
