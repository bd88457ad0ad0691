import type { Activated } from '../../../contract/device-answers.ts'
import { audit } from '../../engine/audit/audit.ts'
import { shownUser } from '../users/view.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { announceChange } from '../factors/announcements.ts'
import { seedInBase32 } from '../codes/totp.ts'
import type { Activation } from './activation-statements.ts'
import { insertCodeGenerator } from '../codes/statements.ts'
import { insertDevice } from './statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'

interface NewDevice {
  readonly id: string
  readonly name: string
  readonly keyX: string
  readonly keyY: string
  /** Sealed; null if the domain asks for none. */
  readonly pin: string | null
  /** Sealed; null for none. */
  readonly push: string | null
  readonly seed: string
  readonly replaces: boolean
  /** The address that the call came from. */
  readonly address: string | null
}

/** Stores the device of a token, and notifies its user. In the transaction in which the token is activated or moves. */
export async function bindDevice(
  ctx: ServiceContext,
  db: Queryable,
  { tokenId, domainId, userId, organizationId }: Activation,
  { seed, replaces, address, ...device }: NewDevice,
): Promise<void> {
  const { id } = device
  await insertDevice(db, { ...device, tokenId, domainId, userId, createdAt: ctx.clock.now(), revokedAt: null })
  await insertCodeGenerator(db, { id, seed: ctx.secrets.seal(seed, { kind: 'seed', id, userId }), ...offlineCodes })
  const kind = replaces ? 'device_replaced' : 'device_added'
  await announceChange(db, ctx, { kind, organizationId, userId, domainId, deviceId: id })
  const facts = { token: tokenId, domain: domainId, user: userId, device: id }
  await audit(db, ctx, { event: 'activation.used', organizationId, actor: { kind: 'device', id }, address, facts })
}

/** Offline codes of devices, the same in every domain, because our authenticator supports no others. */
const offlineCodes = { algorithm: 'SHA1', digits: 6, period: 30 } as const

/** The account as a new device stores it. */
export function activatedView(
  ctx: ServiceContext,
  activation: Activation,
  { id, seed, push }: { readonly id: string; readonly seed: string; readonly push: boolean },
): Activated {
  return { device: id, ...accountView(ctx, activation), push, codes: { secret: seedInBase32(seed), ...offlineCodes } }
}

/** Names the account of a token. */
export function accountView(ctx: ServiceContext, activation: Activation) {
  return {
    service: ctx.serviceId,
    organization: { name: activation.organizationName },
    domain: { id: activation.domainId, name: activation.domainName, keyType: activation.keyType },
    user: shownUser(activation),
    ...(ctx.pusher && { pushKey: ctx.pusher.publicKey }),
  }
}
