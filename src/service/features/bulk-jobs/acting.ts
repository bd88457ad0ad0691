import type { Because } from '../../../admin-contract/because.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { Call } from '../../engine/http/route.ts'
import type { PresentAdministrator } from '../administrators/present-administrator.ts'

/** A job has no session, so nothing that needs a recent use of a passkey is open to it. */
const noSession = { hash: '', signedInAt: 0, usedAt: 0, passedAt: 0 } as const

/** The service as the administrator of a job uses it. Each entry of the trail names the job and its reason. */
export function callAs(
  ctx: ServiceContext,
  administrator: PresentAdministrator,
  job: { readonly id: string; readonly because: Because },
): Call {
  const { id, organizationId } = administrator
  return {
    ...ctx,
    organizationId,
    actor: { kind: 'administrator', id },
    because: job.because,
    job: job.id,
    role: 'admin',
    limitedTo: null,
    version: '1.4',
    console: { origin: '', rpId: '', administrator: { ...administrator, session: noSession }, countUnsigned: () => {} },
  }
}
