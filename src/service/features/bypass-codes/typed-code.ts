import type { ServiceContext } from '../../engine/context/service-context.ts'
import { networkOf } from '../../engine/base/network.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import { forgetCounted, forgetScopes, newestAttempt, noteAttempt, takeAttempt } from '../../engine/limits/attempts.ts'
import { bypassLookups, requireRoomForCode } from './forms.ts'
import { looksLikeBypassCode } from './rules.ts'
import { usableBypassCode } from './statements.ts'

/** A code that somebody has typed together with a username, before anything has shown who they are. */
export interface TypedCode {
  readonly userId: string
  readonly code: string
  /** The address that the browser is counted by; undefined if unknown. */
  readonly address: string | undefined
}

/** How many such codes are tried for a user: from one network, and in total. Within a day, in seconds. */
export const typedCodeLimits = {
  ofNetwork: { limit: 10, window: 24 * 60 * 60 },
  total: { limit: 100, window: 24 * 60 * 60 },
} as const

const totalOf = (userId: string) => `typed code ${userId}`
const resetOf = (userId: string) => `typed code reset ${userId}`

/**
 * Whether the user has this code, which is not used up. Anyone who knows a username can ask, so tries have limits of their own: wrong
 * codes of strangers must not lock the codes that the user needs elsewhere. A right one resets the limits. While they are used up, it
 * counts as wrong. What has not the form of such a code is no try.
 *
 * @throws {ApiProblem} if too many codes wait to be checked, which is no try either.
 */
export async function hasTypedCode(ctx: ServiceContext, { userId, code, address }: TypedCode): Promise<boolean> {
  if (!looksLikeBypassCode(code)) return false
  requireRoomForCode(ctx)
  const { db } = ctx.store
  const now = ctx.clock.now()
  const total = totalOf(userId)
  const { window } = typedCodeLimits.ofNetwork
  const resetAt = (await newestAttempt(db, resetOf(userId), now - window)) ?? now - window
  const limits = [
    { scope: `${total} ${networkOf(address)}`, ...typedCodeLimits.ofNetwork, window: now - resetAt },
    { scope: total, ...typedCodeLimits.total },
  ]
  if ((await inTransaction(db, (tx) => takeAttempt(tx, limits, now))) > 0) return false
  const codeLookups = await bypassLookups(ctx, userId, code)
  const isRight = (await usableBypassCode(db, { userId, codeLookups }, now)) !== undefined
  const scopes = limits.map(({ scope }) => scope)
  if (isRight) await forgetScopes(db, scopes)
  return isRight
}

/** Resets the limits, also those of each network, for an administrator. @returns whether there was anything to reset. */
export async function forgetTypedCodes(db: Queryable, userId: string, now: number): Promise<boolean> {
  const hasTyped = await forgetCounted(db, [totalOf(userId)])
  if (hasTyped) await noteAttempt(db, [{ scope: resetOf(userId) }], now)
  return hasTyped
}
