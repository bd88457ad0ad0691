import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call } from '../../engine/http/route.ts'
import { notSignedIn, signedIn } from './call.ts'
import { findSignedIn } from './sessions.ts'

/**
 * For a read that is held, each time before it reads: its administrator may have lost the access, the role or a domain since the
 * request arrived. With other rights, the page asks again.
 */
export async function requireSameRights(call: Call): Promise<void> {
  const before = signedIn(call)
  const now = await findSignedIn(call, before.session.hash)
  if (!now) throw notSignedIn()
  if (rightsOf(now) !== rightsOf(before)) throw new ApiProblem('api.error.forbidden')
}

const rightsOf = ({ role, domainIds }: ReturnType<typeof signedIn>): string =>
  JSON.stringify([role, domainIds?.toSorted() ?? null])
