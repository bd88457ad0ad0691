import { PreviewRequest } from '../../contract/device.ts'
import type { Preview } from '../../contract/device.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { findActivation } from './find-activation.ts'
import { parseContent } from './signature.ts'
import { tryCode } from './tries.ts'

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
