import { consentLifetime, denyConsent as denyEndpoint } from '../../../admin-contract/consents.ts'
import type * as contract from '../../../admin-contract/consents.ts'
import type { Consent } from '../../../admin-contract/consents.ts'
import { mayCall } from '../../../contract/roles.ts'
import { presentAdministrator } from './present-administrator.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import { ApiProblem, tooManyRequests } from '../../engine/base/problem.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { consentDigest, consentRequests } from './rules.ts'
import { newId } from '../../engine/base/random.ts'
import { administratorById } from './statements.ts'
import { takeAttempt } from '../../engine/limits/attempts.ts'
import {
  consentById,
  consentPage,
  consentsBefore,
  deniedUntil,
  denyConsent,
  giveConsent,
  insertConsent,
  removeOpenConsents,
} from './consent-statements.ts'
import type { ConsentRow } from './consent-statements.ts'
import { domainsOf } from '../domains/statements.ts'
import { passkeysOfUser } from '../factors/possessions.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { isMemberOfSome } from '../users/member-statements.ts'
import { userById } from '../users/statements.ts'
import type { UserRow } from '../users/statements.ts'
import { authorizeAdministrator } from './authorize.ts'
import { signedIn } from './call.ts'
import type { Change, ChangeHandler } from './change.ts'
import { consentableOperation, parseParameters, subjectOf } from './consent-subject.ts'
import { domainIdsOf, isAnother, isStanding, managesConsent, mayGive, parametersOf } from './standing-consent.ts'

/** How many requests the list has. */
const maxListed = 200

export const request: ChangeHandler<typeof contract.requestConsent> = async (input, outside, change) => {
  const { userId, because } = input
  const endpoint = consentableOperation(input.operation)
  const parameters = parseParameters(endpoint, input.parameters)
  const row = await change(async (call) => {
    const { db } = call.store
    const { id: requestedBy, organizationId } = signedIn(call)
    await authorizeAdministrator(call, signedIn(call), endpoint, idsIn(userId, parameters))
    const createdAt = call.clock.now()
    const subject = await subjectOf(db, endpoint, { userId, because, ...parameters }, createdAt)
    const { operation } = subject
    await requireFewRequests(db, call, { requestedBy, userId, operation })
    const requested: ConsentRow = {
      id: newId(call.random),
      organizationId,
      operation,
      userId,
      parameters: JSON.stringify(parameters),
      domainIds: JSON.stringify(subject.domainIds),
      digest: consentDigest(subject),
      requestedBy,
      because,
      createdAt,
      decidedBy: null,
      state: 'pending',
      expiresAt: createdAt + consentLifetime,
    }
    await removeOpenConsents(db, { requestedBy, userId })
    await insertConsent(db, requested)
    const facts = { consent: requested.id, user: userId, operation }
    await auditCall(db, { ...call, because }, 'consent.requested', facts)
    return requested
  })
  return show(outside, row)
}

/** The ids among the parameters of an operation, which the requester has to see as if it called the operation. */
function idsIn(userId: string, { domainId, passkeyId }: Consent['parameters']): Record<string, string> {
  const ids = { userId, domainId, passkeyId }
  return Object.fromEntries(Object.entries(ids).flatMap(([name, id]) => (typeof id === 'string' ? [[name, id]] : [])))
}

interface ConsentRequest {
  readonly requestedBy: string
  readonly userId: string
  readonly operation: string
}

/** After a denial, no other colleague is asked for the same operation on the same person for a while. */
async function requireFewRequests(db: Queryable, call: Call, consentRequest: ConsentRequest): Promise<void> {
  const now = call.clock.now()
  const denied = await deniedUntil(db, consentRequest, now)
  if (denied !== undefined) throw tooManyRequests({ limit: 'a colleague has denied this', wait: denied - now, now })
  const limit = { scope: `consents for ${consentRequest.requestedBy}`, ...consentRequests }
  const wait = await takeAttempt(db, [limit], now)
  if (wait > 0) throw tooManyRequests({ limit: `at most ${limit.limit} requests for consent in an hour`, wait, now })
}

export const list: Handler<typeof contract.listConsents> = async (_input, call) => {
  const { db } = call.store
  const { organizationId } = signedIn(call)
  const now = call.clock.now()
  const visible: ConsentRow[] = []
  // The clock of another node may be ahead.
  let before = { createdAt: now + consentLifetime, id: '' }
  let rows: readonly ConsentRow[]
  do {
    rows = await consentsBefore(db, organizationId, before, now)
    visible.push(...rows.filter((row) => isVisible(call, row)))
    before = rows.at(-1) ?? before
  } while (rows.length === consentPage && visible.length < maxListed)
  const consents: Consent[] = []
  for (const row of visible.slice(0, maxListed)) consents.push(await show(call, row))
  return consents
}

const isVisible = (call: Call, row: ConsentRow): boolean =>
  row.requestedBy === signedIn(call).id || managesConsent(signedIn(call), row)

export const give: ChangeHandler<typeof contract.giveConsent> = ({ consentId }, call, change) =>
  decide(call, change, consentId, async (inside, row) => {
    const { db } = inside.store
    const { id: decidedBy } = signedIn(inside)
    const [colleague, requester, person] = [
      await presentAdministrator(db, decidedBy),
      await presentAdministrator(db, row.requestedBy),
      await userById(db, row.organizationId, row.userId),
    ]
    if (colleague && requester && person && !(await isAnother(db, colleague, { requester, person })))
      throw new ApiProblem('api.error.forbidden.own')
    const decided = { ...row, state: 'given', decidedBy } as const
    if (row.state !== 'pending' || !(await isStanding(db, decided, call.clock.now()))) throw decidedAlready()
    if (!(await giveConsent(db, row.id, decidedBy))) throw decidedAlready()
    return decided
  })

export const deny: ChangeHandler<typeof contract.denyConsent> = ({ consentId }, call, change) =>
  decide(call, change, consentId, async (inside, row) => {
    const { id: decidedBy } = signedIn(inside)
    if (!(await denyConsent(inside.store.db, row.id, decidedBy))) throw decidedAlready()
    return { ...row, state: 'denied', decidedBy } as const
  })

/** @param settle Decides, and returns the row as it is then. */
async function decide(
  call: Call,
  change: Change,
  id: string,
  settle: (inside: Call, row: ConsentRow) => Promise<ConsentRow & { readonly state: 'given' | 'denied' }>,
): Promise<Consent> {
  const row = await change(async (inside) => {
    const { db } = inside.store
    const decided = await settle(inside, await load(db, inside, id))
    const facts = { consent: id, user: decided.userId, operation: decided.operation }
    await auditCall(db, inside, `consent.${decided.state}`, facts)
    return decided
  })
  return show(call, row)
}

async function show(call: Call, row: ConsentRow): Promise<Consent> {
  const { db } = call.store
  const caller = signedIn(call)
  const [person, requester] = [
    await userById(db, row.organizationId, row.userId),
    await presentAdministrator(db, row.requestedBy),
  ]
  const isOpen = row.state === 'pending' || row.state === 'given'
  const standing = isOpen && (await isStanding(db, row, call.clock.now()))
  const decidable = standing && person !== undefined && requester !== undefined
  return {
    id: row.id,
    operation: row.operation,
    person: { id: row.userId, ...(await personNames(call, person)) },
    parameters: parametersOf(row),
    domains: await domainNames(call, domainIdsOf(row)),
    ...(await passkeyName(call, row)),
    requestedBy: { id: row.requestedBy, name: (await administratorById(db, row.requestedBy))?.name ?? '' },
    because: row.because,
    state: isOpen && !standing ? 'void' : row.state,
    givable: decidable && row.state === 'pending' && (await mayGive(db, caller, { row, requester, person })),
    deniable: isOpen && mayCall(caller.role, denyEndpoint) && managesConsent(caller, row),
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
  }
}

/** A person who is gone, or whom the administrator does not see any more, has no name. */
async function personNames(call: Call, person: UserRow | undefined) {
  const { domainIds } = signedIn(call)
  const isNamed = person && (domainIds === null || (await isMemberOfSome(call.store.db, person.id, domainIds)))
  return isNamed ? { username: person.username, name: person.name } : { username: '', name: '' }
}

async function domainNames(call: Call, ids: readonly string[]): Promise<Consent['domains']> {
  const { organizationId, domainIds } = signedIn(call)
  const domains = await domainsOf(call.store.db, organizationId)
  return domains
    .filter(({ id }) => ids.includes(id) && (domainIds === null || domainIds.includes(id)))
    .map(({ id, name }) => ({ id, name }))
}

async function passkeyName(call: Call, row: ConsentRow): Promise<Pick<Consent, 'passkey'>> {
  const { passkeyId } = parametersOf(row)
  if (passkeyId === undefined) return {}
  const passkeys = await passkeysOfUser(call.store.db, row.userId)
  const passkey = passkeys.find(({ id }) => id === passkeyId)
  return passkey ? { passkey: passkey.name } : {}
}

async function load(db: Queryable, { clock }: Call, id: string): Promise<ConsentRow> {
  const row = await consentById(db, id, clock.now())
  if (!row) throw new ApiProblem('api.error.notfound.consent')
  return row
}

const decidedAlready = () =>
  new ApiProblem('api.error.conflict.state', 'The request was decided already, or something has changed since.')
