import { PreviewRequest } from '../../contract/device.ts'
import type { Preview } from '../../contract/device.ts'
import type { ServiceContext } from '../context.ts'
import { ApiProblem } from '../problem.ts'
import { findActivation } from './find-activation.ts'
import { parseContent } from './signature.ts'
import { takeTry } from './tries.ts'

/** What a code would join. Costs a try, as it tells whether there is such a code. */
export async function preview(
  ctx: ServiceContext,
  given: { body: unknown; address: string | undefined },
): Promise<Preview> {
  const { code } = parseContent(PreviewRequest, given.body)
  await takeTry(ctx, given.address)
  const found = await findActivation(ctx, ctx.store.db, code)
  if (!found) throw new ApiProblem('api.error.notfound.activationcode')
  return {
    service: ctx.serviceId,
    organization: { name: found.organizationName },
    domain: { id: found.domainId, name: found.domainName, keyType: found.keyType },
    user: { username: found.username },
    ...(ctx.pusher && { pushKey: ctx.pusher.publicKey }),
  }
}
