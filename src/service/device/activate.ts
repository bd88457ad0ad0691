import { ActivateRequest, devicePaths } from '../../contract/device.ts'
import type { Activated } from '../../contract/device.ts'
import { audit } from '../audit/audit.ts'
import type { ServiceContext } from '../context.ts'
import { ApiProblem } from '../problem.ts'
import { newId } from '../rules/random.ts'
import { newSeed, seedInBase32 } from '../rules/totp.ts'
import { activateToken } from '../store/activations.ts'
import type { Activation } from '../store/activations.ts'
import { insertCodeGenerator } from '../store/code-generators.ts'
import { insertDevice } from '../store/devices.ts'
import type { Queryable } from '../store/schema.ts'
import { markEnrolled } from '../store/users.ts'
import { parseContent, peek, verify } from './signature.ts'
import { findActivation } from './find-activation.ts'
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
  const activation = await ctx.store.db.transaction().execute(async (db) => {
    const bound = await bind(ctx, db, request, { device, seed })
    await auditUsed(ctx, db, bound, { device, address: given.address })
    return bound
  })
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
  { device, seed }: { device: string; seed: string },
): Promise<Activation> {
  const now = ctx.clock.now()
  const activation = await findActivation(ctx, db, request.code)
  // The reading only tells what it is about; whether the code is still there to be used, the writing decides.
  if (!activation || !(await activateToken(db, activation.tokenId, now)))
    throw new ApiProblem('api.error.notfound.activationcode')
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
  await markEnrolled(db, activation.userId)
  return activation
}

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
