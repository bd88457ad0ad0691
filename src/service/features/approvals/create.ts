import type { Requester } from '../../../contract/approval-content.ts'
import type * as contract from '../../../contract/approvals.ts'
import { Id, truncateText } from '../../../contract/text.ts'
import { approvalLimits as textLimits } from '../../../contract/approval-facts.ts'
import { ApiProblem, tooManyRequests } from '../../engine/base/problem.ts'
import { newId, newIdOfTime, random128 } from '../../engine/base/random.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { afterCommit, readCommitted } from '../../engine/database/transaction-ends.ts'
import type { Call, Handler, Input } from '../../engine/http/route.ts'
import { answerOnce } from '../../engine/idempotency/answer-once.ts'
import type { DomainRow } from '../domains/statements.ts'
import { domainById } from '../domains/statements.ts'
import { activeDevice, passkeysOfUser } from '../factors/possessions.ts'
import { newMatchingNumber } from '../sessions/rules.ts'
import { pendingNumbers } from '../sessions/statements.ts'
import { memberBy } from '../users/member-statements.ts'
import { lockUser } from '../users/statements.ts'
import type { UserRow } from '../users/statements.ts'
import { insertApprover, waitingNumbers } from './approver-statements.ts'
import type { NewApproverRow } from './approver-statements.ts'
import { auditAsked, auditNotAsked } from './audit.ts'
import { blockingUsers } from './block-statements.ts'
import { takeApproval } from './budget.ts'
import { sealContent } from '../../engine/secrets/approval-content.ts'
import { serializeContent } from './content.ts'
import { notifyApproval } from './notify.ts'
import { digestOf, requesterKey } from './rules.ts'
import { insertApproval } from './statements.ts'
import type { NewApprovalRow } from './statements.ts'
import { readView } from './view.ts'

type NewApproval = Input<typeof contract.createApproval>

export const create: Handler<typeof contract.createApproval> = async (input, call) => {
  const change = (db: Queryable) => ask(call, db, input)
  return answerOnce(call, {
    change,
    answer: (row, { store }) => readView(call, store.db, row),
    begin: (run) => readCommitted(call.store.db).execute(run),
  }).catch(async (error: unknown) => {
    await auditNotAsked(call, error, input.domainId)
    throw error
  })
}

async function ask(call: Call, db: Queryable, input: NewApproval) {
  const domain = await domainById(db, call.organizationId, input.domainId)
  if (!domain) throw new ApiProblem('api.error.notfound.domain')
  const people = await lockPeople(call, db, input)
  const { requester, requestedBy } = await requesterOf(call, db, input, people)
  const apiKeyId = call.actor.id
  const asking = {
    domainId: domain.id,
    userIds: people.map(({ id }) => id),
    apiKeyId,
    requester: requesterKey(requester, requestedBy),
  }
  const now = call.clock.now()
  if ((await blockingUsers(db, asking, now)).length > 0) throw new ApiProblem('api.error.forbidden.requester')
  await takeApproval(call, db, asking)
  const id = newIdOfTime(call.random, now)
  const { title, details, needed, challenge = null } = input
  const expiresAt = now + input.expiresIn
  const text = serializeContent({ id, domain, requester, title, details, needed, createdAt: now, expiresAt })
  const row: NewApprovalRow = {
    id,
    organizationId: call.organizationId,
    domainId: domain.id,
    apiKeyId,
    requester: asking.requester,
    requestedBy,
    content: sealContent(call.secrets, text, { id, domainId: domain.id }),
    digest: digestOf(text),
    needed,
    challenge,
    state: 'pending',
    createdAt: now,
    expiresAt,
    keptUntil: now + call.approvalRetention * secondsOfADay,
  }
  await insertApproval(db, row)
  const approvers = []
  for (const person of people) approvers.push(await insertPerson(call, db, { person, domain, input, approval: row }))
  await auditAsked(db, call, row, approvers.length)
  const deviceIds = approvers.map(({ deviceId }) => deviceId)
  notifyApproval(db, call, row, deviceIds)
  afterCommit(db, () => {
    for (const deviceId of deviceIds) {
      if (deviceId !== null) call.pusher?.tell({ kind: 'approval', id, deviceId, expiresAt })
    }
  })
  return { ...row, sequence: 0, reason: null, settledAt: null, redeemedAt: null }
}

const secondsOfADay = 24 * 60 * 60

/** The people who are asked, in the order of their names in the input. Locked in the order of their ids, so that two calls never wait for each other. */
async function lockPeople(call: Call, db: Queryable, { domainId, user, approvers }: NewApproval): Promise<UserRow[]> {
  const { organizationId } = call
  const references = approvers ?? (user ? [user] : [])
  const people: UserRow[] = []
  for (const reference of references) {
    const person = await memberBy(db, { organizationId, domainId }, reference)
    if (!person) throw new ApiProblem('api.error.notfound.user')
    if (people.some(({ id }) => id === person.id))
      throw new ApiProblem('api.error.invalid.approvers', 'approvers: the same person is named twice')
    people.push(person)
  }
  for (const { id } of people.toSorted((first, second) => (first.id < second.id ? -1 : 1))) {
    if (!(await lockUser(db, organizationId, id))) throw new ApiProblem('api.error.notfound.user')
  }
  return people
}

interface FoundRequester {
  readonly requester: Requester
  readonly requestedBy: string | null
}

/** Who asks: a user of the domain counts as such only by id, because a name could be anybody's. */
async function requesterOf(
  call: Call,
  db: Queryable,
  { domainId, approvers, requestedBy }: NewApproval,
  people: readonly UserRow[],
): Promise<FoundRequester> {
  const [first] = people
  if (requestedBy === undefined || (!approvers && requestedBy === first?.id))
    return { requester: { kind: 'self', name: nameOf(first) }, requestedBy: null }
  const { organizationId } = call
  const user = Id.safeParse(requestedBy).success
    ? await memberBy(db, { organizationId, domainId }, { id: requestedBy })
    : undefined
  if (user && people.some(({ id }) => id === user.id))
    throw new ApiProblem('api.error.invalid.approvers', 'approvers: the person who asks cannot be one of them')
  if (user) return { requester: { kind: 'user', name: nameOf(user), id: user.id }, requestedBy: user.id }
  if (approvers || Id.safeParse(requestedBy).success)
    throw new ApiProblem('api.error.invalid.requestedby', 'requestedBy: not the id of a user of the domain')
  return { requester: { kind: 'app', name: requestedBy }, requestedBy: null }
}

/**
 * The name and the username, each cut alone. Both even where they are equal: a user who is called "You, in Wiki" must not look like what
 * devices show for the person themselves.
 */
function nameOf(user: UserRow | undefined): string {
  if (!user) return '?'
  return `${truncateText(user.name, maxNameLength)} (${truncateText(user.username, maxNameLength)})`
}

/** Both, a space and two parentheses fit. */
const maxNameLength = textLimits.requester - 2

interface Person {
  readonly person: UserRow
  readonly domain: DomainRow
  readonly input: NewApproval
  readonly approval: Pick<NewApprovalRow, 'id' | 'keptUntil'>
}

async function insertPerson(call: Call, db: Queryable, { person, domain, input, approval }: Person) {
  const owner = { domainId: domain.id, userId: person.id }
  const device = await activeDevice(db, domain.id, person.id)
  // Whoever has passkeys only approves in the app that asks.
  const hasPasskeys = device === undefined && (await passkeysOfUser(db, person.id)).length > 0
  if (!device && !hasPasskeys) throw new ApiProblem('api.error.notfound.token')
  const isNumbered = device !== undefined && input.numberMatching && domain.numberMatching !== 'off'
  const row: NewApproverRow = {
    id: newId(call.random),
    approvalId: approval.id,
    ...owner,
    deviceId: device?.id ?? null,
    nonce: random128(call.random),
    number: isNumbered ? await freeNumber(call, db, owner) : null,
    keptUntil: approval.keptUntil,
  }
  await insertApprover(db, row)
  return row
}

/** How long until a number may be free again, seconds. */
const pauseForNumber = 60

/** Another number than those of the person's other requests and sign-ins: a person who types the wrong one approves nothing else. */
async function freeNumber(call: Call, db: Queryable, owner: { domainId: string; userId: string }): Promise<string> {
  const inUse = new Set([
    ...(await pendingNumbers(db, owner.userId, call.clock.now())),
    ...(await waitingNumbers(db, owner)).map((number) => number ?? ''),
  ])
  const number = newMatchingNumber(call.random, inUse)
  const limit = 'all numbers are in use by pending requests of the user'
  if (number === undefined) throw tooManyRequests({ limit, wait: pauseForNumber, now: call.clock.now() })
  return number
}
