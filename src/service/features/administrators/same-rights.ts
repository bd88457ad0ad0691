import { ApiProblem } from '../../engine/base/problem.ts'
import type { SignedIn } from '../../engine/context/caller.ts'
import type { Call } from '../../engine/http/route.ts'
import { notSignedIn, signedIn } from './call.ts'
import { findSignedIn, noteUse } from './sessions.ts'

/**
 * For a read that is held, each time before it reads: its administrator may have lost the access, the role or a domain since the
 * request arrived. With other rights, the page asks again.
 */
export async function requireSameRights(call: Call): Promise<SignedIn> {
  const before = signedIn(call)
  const now = await findSignedIn(call, before.session.hash)
  if (!now) throw notSignedIn()
  if (rightsOf(now) !== rightsOf(before)) throw new ApiProblem('api.error.forbidden')
  return now
}

/**
 * The parts of an export, as long as its administrator has the same rights. A slow reader makes a download last, so it would otherwise go on
 * after the access has ended. The session is in use meanwhile.
 */
export async function* whileAllowed(call: Call, parts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const part of parts) {
    await noteUse(call, await requireSameRights(call))
    yield part
  }
}

const rightsOf = ({ role, domainIds }: ReturnType<typeof signedIn>): string =>
  JSON.stringify([role, domainIds?.toSorted() ?? null])
