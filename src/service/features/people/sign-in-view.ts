import type { Attribute } from '../../../contract/session-facts.ts'
import type { PersonSignIn } from '../../../admin-contract/timeline.ts'
import type { Call } from '../../engine/http/route.ts'
import { pendingSessionsOf } from './timeline-statements.ts'
import type { PersonScope } from './timeline-statements.ts'

/** The sign-ins that wait for an answer. */
export async function waitingSignIns({ store, clock }: Call, scope: PersonScope): Promise<PersonSignIn[]> {
  const rows = await pendingSessionsOf(store.db, scope, clock.now())
  return rows.map((row) => ({
    id: row.id,
    domain: row.domainId,
    state: 'pending',
    ...originView(row),
    at: row.createdAt,
  }))
}

interface Origin {
  readonly purpose: PersonSignIn['purpose']
  readonly attributes: string
  readonly ipAddress: string | null
  readonly knownBrowser?: number | null
}

/** The origin and the purpose of a sign-in. */
export const originView = ({ purpose, attributes, ipAddress, knownBrowser }: Origin) => ({
  purpose,
  ...(ipAddress !== null && { address: ipAddress }),
  attributes: JSON.parse(attributes) as Attribute[],
  ...(knownBrowser !== undefined && { knownBrowser: knownBrowser === 1 }),
})
