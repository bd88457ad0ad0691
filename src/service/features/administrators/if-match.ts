import { readOlder, settling } from '../../engine/audit/pages.ts'
import type { EventName } from '../../engine/audit/events.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call } from '../../engine/http/route.ts'
import type { AuditQuery } from '../../engine/audit/page-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { signedIn } from './call.ts'

/** The version in `If-Match`, in quotes (RFC 9110 section 13.1.1). @param noun Such as `domain`. */
export function expectedVersion({ http }: Call, noun: string): string {
  const [, version] = /^"([\w-]{1,64})"$/.exec(http?.ifMatch ?? '') ?? []
  if (version !== undefined) return version
  throw new ApiProblem('api.error.precondition', `If-Match: expected the version of the ${noun}, in quotes.`)
}

interface ChangedThing extends Pick<AuditQuery, 'domainIds' | 'facts'> {
  readonly noun: string
  readonly event: EventName
}

/** The problem for a version that is not the current one. It names the last change: the fields, when, and by whom. */
export async function outdated(db: Queryable, call: Call, { noun, ...changed }: ChangedThing): Promise<ApiProblem> {
  const { organizationId } = signedIn(call)
  const { rows } = await readOlder(db, { organizationId, ...changed }, undefined, call.clock.now() + settling)
  const [last] = rows
  const fields = last === undefined ? undefined : (JSON.parse(last.facts) as { readonly fields?: string }).fields
  const text =
    last === undefined
      ? ''
      : `: ${fields ?? 'settings'} at ${new Date(last.at * 1000).toISOString()} by ${last.actorKind} ${last.actorId}`
  return new ApiProblem('api.error.precondition', `If-Match: the ${noun} was changed meanwhile${text}. Read it again.`)
}
