import {
  ClaimMoveRequest,
  ConfirmMoveRequest,
  devicePaths,
  moveLifetimes,
  MoveRequest,
} from '../../../contract/device.ts'
import type { Move, MoveClaim, MoveClaimed } from '../../../contract/device-answers.ts'
import { audit, auditRevoked } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { enrollUser } from '../factors/enrollment.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { newId, random128 } from '../../engine/base/random.ts'
import { newSeed } from '../codes/totp.ts'
import { moveCodeText } from '../../engine/secrets/secrets.ts'
import { activationOfToken } from './activation-statements.ts'
import type { Activation } from './activation-statements.ts'
import { organizationOfDomain } from '../domains/statements.ts'
import { cancelMove, claimMove, claimOfDevice, confirmMove, moveOfCode, setMove } from './move-statements.ts'
import { moveAway, renewToken } from './replacement-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { notifyRevoked } from '../../engine/waiting/notify.ts'
import { bindDevice } from './bind-device.ts'
import { checkPin, reserveRequiredPin } from './check-pin.ts'
import { parseContent, peek, verify } from './signature.ts'
import { consumeCall, requireActive } from './signed-call.ts'
import type { SignedCall } from './signed-call.ts'
import { tryCode } from './tries.ts'

/*
 * A move takes an account to another device of the same person in four calls: the old device begins it and shows a code, the
 * new one claims it with the code, the old one confirms the claim, and the new one collects the account.
 */

/** Begins a move. Asks for the PIN, because a thief of an unlocked device could take the account along. */
export async function beginMove(ctx: ServiceContext, call: SignedCall, address: string | null): Promise<Move> {
  const { pin } = parseContent(MoveRequest, call.payload)
  const reserved = await ctx.store.db.transaction().execute(async (db) => {
    await consumeCall(db, call)
    return reserveRequiredPin(ctx, db, { device: call.device, pin, attempt: call.claims.jti })
  })
  if (reserved) await checkPin(ctx, reserved, pin ?? '')
  const code = random128(ctx.random)
  const expiresAt = ctx.clock.now() + moveLifetimes.code
  const { id: deviceId, tokenId: token, domainId: domain, userId: user } = call.device
  await ctx.store.db.transaction().execute(async (db) => {
    await requireActive(db, deviceId)
    await setMove(db, { deviceId, codeLookup: ctx.secrets.lookup(moveCodeText(code)), expiresAt })
    const facts = { token, domain, user, until: expiresAt }
    await audit(db, ctx, { ...(await byDevice(db, call, address)), event: 'token.replacement_issued', facts })
  })
  return { code, expiresAt }
}

/** The account of a code that no device has used yet. */
export async function findMove(
  { secrets, clock }: Pick<ServiceContext, 'secrets' | 'clock'>,
  db: Queryable,
  code: string,
): Promise<{ deviceId: string; activation: Activation } | undefined> {
  const move = await moveOfCode(db, secrets.lookups(moveCodeText(code)), clock.now())
  const activation = move && (await activationOfToken(db, move.tokenId))
  return activation && { deviceId: move.deviceId, activation }
}

/** Uses the code of a move up for the key that signed the call. Nothing moves before the old device confirms. */
export async function claim(
  ctx: ServiceContext,
  request: { jws: string; address: string | undefined },
): Promise<MoveClaimed> {
  const { key } = parseContent(ClaimMoveRequest, peek(request.jws))
  const { payload } = verify(ctx, request.jws, key, { method: 'POST', path: devicePaths.claimMove })
  const { code, name } = parseContent(ClaimMoveRequest, payload)
  const { deviceId } = await tryCode(ctx, request.address, () => findMove(ctx, ctx.store.db, code))
  const device = newId(ctx.random)
  const expiresAt = ctx.clock.now() + moveLifetimes.claim
  const lookups = ctx.secrets.lookups(moveCodeText(code))
  const newDevice = { claimId: device, claimName: name, claimKeyX: key.x, claimKeyY: key.y }
  if (!(await claimMove(ctx.store.db, { deviceId, lookups, ...newDevice, expiresAt }))) throw noCode()
  return { device, expiresAt }
}

/** Reads the move for the old device. */
export async function readMove(ctx: ServiceContext, { device }: SignedCall): Promise<{ claim?: MoveClaim }> {
  await requireActive(ctx.store.db, device.id)
  const row = await claimOfDevice(ctx.store.db, device.id, ctx.clock.now())
  if (!row) return {}
  const { claimId, claimName: name, requested, expiresAt } = row
  return { claim: { device: claimId, name, requested: requested === 1, expiresAt } }
}

/** Moves the account to the device that the old one has shown. The PIN stays; everything else is as for a replacement. */
export async function confirm(ctx: ServiceContext, call: SignedCall, address: string | null): Promise<void> {
  const { device: id } = parseContent(ConfirmMoveRequest, call.payload)
  await ctx.store.db.transaction().execute(async (db) => {
    await consumeCall(db, call)
    const now = ctx.clock.now()
    const { id: deviceId, tokenId, userId, pin } = call.device
    const row = await confirmMove(db, { deviceId, claimId: id }, now)
    const activation = await activationOfToken(db, tokenId)
    if (!row || !activation) throw tooLate()
    const by = await byDevice(db, call, address)
    const moveContext = { ...ctx, ...by }
    const enrolled = await enrollUser(db, moveContext, { userId, tokenId }, by)
    if (!enrolled || !(await renewToken(db, tokenId, now))) throw tooLate()
    const moved = await moveAway(db, { tokenId, replacementEpoch: null }, now)
    await auditRevoked(db, moveContext, moved, by)
    const hash = pin && ctx.secrets.open(pin, { kind: 'pin', id: deviceId, userId })
    const { claimName: name, claimKeyX: keyX, claimKeyY: keyY } = row
    await bindDevice(ctx, db, activation, {
      id,
      name,
      keyX,
      keyY,
      pin: hash && ctx.secrets.seal(hash, { kind: 'pin', id, userId }),
      push: null,
      seed: newSeed(ctx.random),
      replaces: true,
      address,
    })
    notifyRevoked(db, ctx, moved)
  })
}

/** Ends the code, or the claim. */
export async function cancel(ctx: ServiceContext, call: SignedCall, address: string | null): Promise<void> {
  await ctx.store.db.transaction().execute(async (db) => {
    await consumeCall(db, call)
    if (!(await cancelMove(db, call.device.id))) return
    const { tokenId: token, domainId: domain, userId: user } = call.device
    const event = 'token.replacement_withdrawn'
    await audit(db, ctx, { ...(await byDevice(db, call, address)), event, facts: { token, domain, user } })
  })
}

async function byDevice(db: Queryable, { device: { id, domainId } }: SignedCall, address: string | null) {
  return { organizationId: await organizationOfDomain(db, domainId), actor: { kind: 'device', id }, address } as const
}

/** The same for codes that are wrong, used or expired. */
const noCode = () => new ApiProblem('api.error.notfound.activationcode')

/** The claim is another one, or over. */
const tooLate = () => new ApiProblem('api.error.conflict.state')
