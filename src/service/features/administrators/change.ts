import type { Endpoint } from '../../../contract/endpoint.ts'
import type { SignedIn } from '../../engine/context/caller.ts'
import { within } from '../../engine/context/within.ts'
import { route } from '../../engine/http/route.ts'
import type { Call, Input, PreparedHandler, Route } from '../../engine/http/route.ts'
import { consentById } from './consent-statements.ts'
import type { ConsentRow } from './consent-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { readCommitted } from '../../engine/database/transaction-ends.ts'
import { authorizeAdministrator } from './authorize.ts'
import { countPerson } from './people-budget.ts'
import { consoleOf, notSignedIn, signedIn } from './call.ts'
import { requireEvidence, useUp } from './guard.ts'
import { lockRows } from './lock-rows.ts'
import { findSignedIn } from './sessions.ts'
import { inTurn } from './turns.ts'

/**
 * Runs a part of a handler in a transaction in which the right to make the change has been decided. What takes time, such as
 * hashing, verifying a passkey or sending a mail, stays outside, because other changes wait for the transaction.
 *
 * @param change May run several times, and must use the call that it is given: its database is the transaction, and its
 * administrator is read in it.
 * @param part A preparation needs the same right and the same evidence as the change after it, and uses no consent up.
 */
export type Change = <T>(run: (call: Call) => Promise<T>, part?: 'preparation') => Promise<T>

/** A handler of an operation that changes something. Everything that it changes, it changes through its third parameter. */
export type ChangeHandler<E extends Endpoint> = PreparedHandler<E, Change>

/** The route of an operation that changes something. */
export function changeRoute<E extends Endpoint>(endpoint: E, handle: ChangeHandler<E>): Route {
  return route(endpoint, async (input, call) => {
    const { change, hasDecided } = decidedChanges(call, endpoint, input)
    const output = await handle(input, call, change)
    if (!hasDecided()) throw new Error(`${endpoint.method} ${endpoint.path} was answered without a decision.`)
    return output
  })
}

function decidedChanges<E extends Endpoint>(call: Call, endpoint: E, input: Input<E>) {
  const inputMembers = input as Readonly<Record<string, unknown>>
  const params = paramsOf(endpoint, inputMembers)
  let decided = false
  let used = false
  const change: Change = async (run, part) => {
    const { db } = call.store
    const userId = await personOf(call, params)
    const decideAndRun = async (tx: Queryable) => {
      const inside = within(call, tx)
      const administrator = await decide(inside, endpoint, params, userId)
      const callNow = { ...inside, console: { ...consoleOf(call), administrator } }
      // Used up by the first of several transactions of a change: the later ones finish what it has begun.
      const consent = used ? undefined : await requireEvidence(callNow, endpoint, inputMembers)
      if (!used && part !== 'preparation') await use(callNow, consent)
      return run(callNow)
    }
    // Transactions about a person follow each other by the lock of the user's row, and need no other order (0034).
    const result = await (userId === undefined
      ? inTurn(db, call.organizationId, () => db.transaction().execute(decideAndRun))
      : readCommitted(db).execute(decideAndRun))
    decided = true
    used ||= part !== 'preparation'
    return result
  }
  const use = async (currentCall: Call, consent: ConsentRow | undefined): Promise<void> => {
    if (consent) await useUp(currentCall, consent)
    const { userId } = params
    if (endpoint.admin?.guarded === true && userId !== undefined) await countPerson(currentCall, userId)
  }
  return { change, hasDecided: () => decided }
}

/**
 * Decides in the transaction of a change whether the administrator may make it.
 *
 * @returns the administrator as it is now.
 */
async function decide(
  call: Call,
  endpoint: Endpoint,
  params: Readonly<Record<string, string>>,
  userId: string | undefined,
): Promise<SignedIn> {
  const { db } = call.store
  const { id, organizationId, session } = signedIn(call)
  // Both, because two owners may revoke each other at once.
  await lockRows(db, { organizationId, userId, administratorIds: [id, params['administratorId'] ?? id] })
  const administrator = await findSignedIn(call, session.hash)
  if (!administrator) throw notSignedIn()
  await authorizeAdministrator(call, administrator, endpoint, params)
  return administrator
}

/** The person that a change is about. */
async function personOf(
  { store, clock }: Call,
  { userId, consentId }: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  if (userId !== undefined || consentId === undefined) return userId
  return (await consentById(store.db, consentId, clock.now()))?.userId
}

function paramsOf(
  { params }: Endpoint,
  inputMembers: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(params?.shape ?? {}).map((name) => [name, String(inputMembers[name])]))
}
