import { MoveCode, PreviewRequest } from '../../../contract/device.ts'
import type { Preview } from '../../../contract/device-answers.ts'
import { accountView } from './bind-device.ts'
import { findMove } from './move.ts'
import { parseContent } from './signature.ts'
import { tryCode } from './tries.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { activationOf, replacementOf } from './activation-statements.ts'
import type { Activation } from './activation-statements.ts'
import { domainById } from '../domains/statements.ts'
import { memberBy } from '../users/member-statements.ts'
import { isInForce } from '../factors/passes.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { activationCodeText } from '../../engine/secrets/secrets.ts'

/**
 * Names the account that a code would join. A wrong code costs an attempt, because the response reveals whether a code exists.
 */
export async function preview(
  ctx: ServiceContext,
  request: { body: unknown; address: string | undefined },
): Promise<Preview> {
  const { code } = parseContent(PreviewRequest, request.body)
  const { db } = ctx.store
  const isMove = MoveCode.safeParse(code).success
  const row = await tryCode(ctx, request.address, async () =>
    isMove ? (await findMove(ctx, db, code))?.activation : findActivation(ctx, db, code),
  )
  return accountView(ctx, row)
}

/** The target of an activation code, and whether the new device replaces the current one. */
export type FoundActivation = Activation & { readonly replaces: boolean }

/** Finds the target of an activation code. */
export async function findActivation(
  { secrets, clock }: Pick<ServiceContext, 'secrets' | 'clock'>,
  db: Queryable,
  code: string,
): Promise<FoundActivation | undefined> {
  const lookups = secrets.lookups(activationCodeText(code))
  const pending = await activationOf(db, lookups, clock.now())
  const row = pending ?? (await replacementOf(db, lookups, clock.now()))
  if (!row?.sealedCode) return undefined
  // An attacker who can write to the database could move a lookup to another user's token, but not the sealed code.
  const kind = pending ? 'activation code' : 'replacement code'
  const openedCode = secrets.open(row.sealedCode, { kind, id: row.tokenId, userId: row.userId })
  if (openedCode !== code || !(await isStillGranted(db, row, clock.now()))) return undefined
  return { ...row, replaces: !pending }
}

/** A code ends with the factor that the user passed with to see it, so that the thief of a token loses it too. */
async function isStillGranted(db: Queryable, activation: Activation, now: number): Promise<boolean> {
  const { organizationId, domainId, userId, grantedFactor: factor, grantedFactorId: factorId } = activation
  if (factor === null) return true
  const domain = await domainById(db, organizationId, domainId)
  const user = domain && (await memberBy(db, { organizationId, domainId }, { id: userId }))
  return domain !== undefined && user !== undefined && isInForce(db, { domain, user, factor, factorId }, now)
}
