import { ActivateRequest, devicePaths } from '../../contract/device.ts'
import type { Activated } from '../../contract/device.ts'
import { notifyRevoked } from '../api/notify.ts'
import { audit, auditRevoked } from '../audit/audit.ts'
import type { ServiceContext } from '../context.ts'
import { enrolUser } from '../enrolment.ts'
import { ApiProblem } from '../problem.ts'
import { newId } from '../rules/random.ts'
import { newSeed, seedInBase32 } from '../rules/totp.ts'
import { activateToken } from '../store/activations.ts'
import type { Activation } from '../store/activations.ts'
import { insertCodeGenerator } from '../store/code-generators.ts'
import { insertDevice } from '../store/devices.ts'
import { moveAway, useReplacement } from '../store/replacements.ts'
import type { Queryable } from '../store/schema.ts'
import { noneRevoked } from '../store/tokens.ts'
import type { Revoked } from '../store/tokens.ts'
import { parseContent, peek, verify } from './signature.ts'
import { findActivation } from './find-activation.ts'
import type { FoundActivation } from './find-activation.ts'
import { takeTry } from './tries.ts'

/** Binds a key pair to a token. It makes push possible and verifies nobody. */
export async function activate(
  ctx: ServiceContext,
  given: { jws: string; address: string | undefined },
): Promise<Activated> {
  const { key } = parseContent(ActivateRequest, peek(given.jws))
  const { payload } = await verify(ctx, given.jws, key, { method: 'POST', path: devicePaths.activate })
  const request = parseContent(ActivateRequest, payload)
  await takeTry(ctx, given.address)
  const device = newId(ctx.random)
  const seed = newSeed(ctx.random)
  const { activation, ended } = await ctx.store.db.transaction().execute(async (db) => {
    const bound = await bind(ctx, db, request, { device, seed, address: given.address })
    await auditUsed(ctx, db, bound.activation, { device, address: given.address })
    return bound
  })
  notifyRevoked(ctx, ended)
  return {
    device,
    service: ctx.serviceId,
    organization: { name: activation.organizationName },
    domain: { id: activation.domainId, name: activation.domainName, keyType: activation.keyType },
    user: { username: activation.username },
    push: false,
    codes: { secret: seedInBase32(seed), ...offlineCodes },
  }
}

/** Codes of devices, whatever the domain: people's own authenticators know no others. */
const offlineCodes = { digits: 6, period: 30 } as const

type Request = ReturnType<typeof ActivateRequest.parse>

async function bind(
  ctx: ServiceContext,
  db: Queryable,
  request: Request,
  { device, seed, address = null }: { device: string; seed: string; address: string | null | undefined },
): Promise<{ activation: Activation; ended: Revoked }> {
  const now = ctx.clock.now()
  const activation = await findActivation(ctx, db, request.code)
  if (!activation) throw noCode()
  const ended = await useCode({ ...ctx, address, actor: { kind: 'device', id: device } }, db, activation)
  await insertDevice(db, {
    id: device,
    tokenId: activation.tokenId,
    domainId: activation.domainId,
    userId: activation.userId,
    name: request.name,
    keyX: request.key.x,
    keyY: request.key.y,
    createdAt: now,
    revokedAt: null,
  })
  await insertCodeGenerator(db, {
    id: device,
    seed: ctx.secrets.seal(seed, { kind: 'seed', id: device }),
    ...offlineCodes,
  })
  return { activation, ended }
}

/**
 * The reading only told what the code is about; whether it is still there to be used, and somebody may use it, the
 * writing decides. Where it replaces a device, that one is out of use from here on.
 */
async function useCode(ctx: ServiceContext, db: Queryable, activation: FoundActivation): Promise<Revoked> {
  const { userId, tokenId, organizationId, replaces, firstOnly } = activation
  const now = ctx.clock.now()
  const first = !replaces && firstOnly === 1
  if (!(await enrolUser(db, ctx, { userId, tokenId, first }, { organizationId }))) throw noCode()
  const used = replaces ? await useReplacement(db, activation, now) : await activateToken(db, tokenId, now)
  if (!used) throw noCode()
  if (!replaces) return noneRevoked
  const ended = await moveAway(db, tokenId, now)
  await auditRevoked(db, ctx, ended, { organizationId })
  return ended
}

const noCode = () => new ApiProblem('api.error.notfound.activationcode')

function auditUsed(
  ctx: ServiceContext,
  db: Queryable,
  { organizationId, tokenId: token, domainId: domain, userId: user }: Activation,
  { device, address = null }: { device: string; address: string | null | undefined },
): Promise<void> {
  const actor = { kind: 'device', id: device } as const
  const facts = { token, domain, user, device }
  return audit(db, ctx, { event: 'activation.used', organizationId, actor, address, facts })
}
