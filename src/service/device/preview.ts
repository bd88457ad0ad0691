import { PreviewRequest } from '../../contract/device.ts'
import type { Preview } from '../../contract/device.ts'
import { parseContent } from './signature.ts'
import { tryCode } from './tries.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { activationOf, replacementOf } from '../store/activations.ts'
import type { Activation } from '../store/activations.ts'
import { domainById } from '../store/domains.ts'
import { memberBy } from '../store/members.ts'
import { isInForce } from '../store/passes.ts'
import type { Queryable } from '../store/schema.ts'
import { activationCodeText } from '../sealing/secrets.ts'

/** What a code would join. A wrong one costs a try, as the answer tells whether there is such a code. */
export async function preview(
  ctx: ServiceContext,
  given: { body: unknown; address: string | undefined },
): Promise<Preview> {
  const { code } = parseContent(PreviewRequest, given.body)
  const found = await tryCode(ctx, given.address, () => findActivation(ctx, ctx.store.db, code))
  return {
    service: ctx.serviceId,
    organization: { name: found.organizationName },
    domain: { id: found.domainId, name: found.domainName, keyType: found.keyType },
    user: { username: found.username },
    ...(ctx.pusher && { pushKey: ctx.pusher.publicKey }),
  }
}

/** What an activation code leads to, and whether to another device in the place of the present one. */
export type FoundActivation = Activation & { readonly replaces: boolean }

/** What an activation code leads to. */
export async function findActivation(
  { secrets, clock }: Pick<ServiceContext, 'secrets' | 'clock'>,
  db: Queryable,
  code: string,
): Promise<FoundActivation | undefined> {
  const lookups = secrets.lookups(activationCodeText(code))
  const pending = await activationOf(db, lookups, clock.now())
  const found = pending ?? (await replacementOf(db, lookups, clock.now()))
  if (!found?.sealedCode) return undefined
  // Who can write to the database could move a lookup to another user's token; the sealed code it cannot move.
  const kind = pending ? 'activation code' : 'replacement code'
  const meant = secrets.open(found.sealedCode, { kind, id: found.tokenId, userId: found.userId })
  if (meant !== code || !(await isStillGranted(db, found, clock.now()))) return undefined
  return { ...found, replaces: !pending }
}

/** A code ends with the factor that its user had passed with to be shown it: the thief of a token keeps nothing. */
async function isStillGranted(db: Queryable, activation: Activation, now: number): Promise<boolean> {
  const { organizationId, domainId, userId, grantedFactor: factor, grantedFactorId: factorId } = activation
  if (factor === null) return true
  const domain = await domainById(db, organizationId, domainId)
  const user = domain && (await memberBy(db, { organizationId, domainId }, { id: userId }))
  return domain !== undefined && user !== undefined && isInForce(db, { domain, user, factor, factorId }, now)
}
