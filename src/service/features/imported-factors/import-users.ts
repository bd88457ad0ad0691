import type { ImportedUser, ImportOutcome, ImportRefusal } from '../../../contract/factor-import.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import { newIdOfTime } from '../../engine/base/random.ts'
import type { Caller } from '../../engine/context/caller.ts'
import { within } from '../../engine/context/within.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import { UnsealError } from '../../engine/secrets/sealing.ts'
import { joinDomain } from '../domains/members.ts'
import { generatorOfHardware } from '../factors/possessions.ts'
import { presentSerialNumbers } from '../hardware/statements.ts'
import { insertNewMembers } from '../users/member-statements.ts'
import { insertUsers, lockUser } from '../users/statements.ts'
import { recoverSynchronizations } from '../users/synchronize.ts'
import { importingUsers } from './statements.ts'
import type { ImportingUser } from './statements.ts'
import { storeImported } from './store.ts'

/** The domain whose users bring their factors. */
export interface ImportTarget {
  readonly domainId: string
  /** Adds those who are not in the organization, or not in the domain. */
  readonly addUsers?: boolean | undefined
}

/**
 * Stores the factors of some users. It can be repeated: those whose app is there already stay as they are, and with them the code that was
 * used last.
 *
 * @returns what became of each, in their order.
 */
export async function importUsers(
  call: Caller,
  target: ImportTarget,
  users: readonly ImportedUser[],
): Promise<ImportOutcome[]> {
  const outcomes = await store(call, target, users)
  const isBusy = (_user: ImportedUser, index: number) => outcomes[index] === busy
  const others = users.filter(isBusy)
  if (others.length === 0) return outcomes
  // A synchronization that was interrupted may have staged them. Nobody sees them then, and they block their names.
  await recoverSynchronizations(call)
  const again = (await store(call, target, others)).values()
  return outcomes.map((outcome) => (outcome === busy ? (again.next().value ?? busy) : outcome))
}

/** The same in one transaction, where an interrupted synchronization is in the way. */
function store(call: Caller, target: ImportTarget, users: readonly ImportedUser[]): Promise<ImportOutcome[]> {
  return inTransaction(call.store.db, async (db) => {
    const inside = within(call, db)
    const { found, outcomes } = await judgeAll(inside, target, users)
    const isStored = (_user: ImportedUser, index: number) => outcomes[index]?.outcome === 'stored'
    const isAccepted = (_user: ImportedUser, index: number) => outcomes[index]?.outcome !== 'rejected'
    const known = users.filter(isAccepted).flatMap(({ username }) => found.get(username) ?? [])
    // Always in the same order, so that two imports at once do not wait for each other.
    for (const { id } of known.toSorted(byId)) await lockUser(db, call.organizationId, id)
    for (const { id: userId, memberId } of known) {
      if (memberId === null) await joinDomain(db, inside, { domainId: target.domainId, userId })
    }
    const added = await addAll(
      inside,
      target,
      users.filter(isStored).filter(({ username }) => !found.has(username)),
    )
    const idOf = ({ username }: ImportedUser) => found.get(username)?.id ?? added.get(username)
    const people = users.filter(isStored).flatMap((user) => {
      const userId = idOf(user)
      return userId === undefined ? [] : [{ ...user, userId }]
    })
    const place = { organizationId: call.organizationId, domainId: target.domainId }
    const stored = await storeImported(db, inside, place, people)
    const facts = {
      domain: target.domainId,
      count: stored.size,
      added: added.size,
      skipped: users.length - stored.size,
    }
    if (stored.size > 0) await auditCall(db, inside, 'factors.batch_imported', facts)
    return users.map((user, index) => {
      const userId = idOf(user)
      if (!isStored(user, index) || (userId !== undefined && stored.has(userId))) return outcomes[index] ?? busy
      return userId === undefined ? busy : rejected('enrolled')
    })
  })
}

const byId = (one: ImportingUser, other: ImportingUser) => (one.id < other.id ? -1 : 1)

/** What `importUsers` would do. */
export async function previewImport(
  call: Caller,
  target: ImportTarget,
  users: readonly ImportedUser[],
): Promise<ImportOutcome[]> {
  return (await judgeAll(call, target, users)).outcomes
}

const rejected = (reason: ImportRefusal): ImportOutcome => ({ outcome: 'rejected', reason })

const busy = rejected('busy')

async function judgeAll(call: Caller, target: ImportTarget, users: readonly ImportedUser[]) {
  const {
    organizationId,
    store: { db },
  } = call
  const usernames = users.map(({ username }) => username)
  const rows = await importingUsers(db, { organizationId, domainId: target.domainId }, usernames)
  const found = new Map(rows.map((row) => [row.username, row]))
  const serialNumbers = users.flatMap(({ serialNumber }) => serialNumber ?? [])
  const taken = new Set(serialNumbers.length > 0 ? await presentSerialNumbers(db, organizationId, serialNumbers) : [])
  const isTwice = repeatedIn(usernames)
  const isSerialTwice = repeatedIn(serialNumbers)
  const outcomes: ImportOutcome[] = []
  for (const user of users) {
    const { username, serialNumber } = user
    if (isTwice(username)) {
      outcomes.push(rejected('repeated'))
      continue
    }
    const outcome = await judge(call, target, user, found.get(username))
    const isTaken = serialNumber !== undefined && (taken.has(serialNumber) || isSerialTwice(serialNumber))
    outcomes.push(outcome.outcome === 'stored' && isTaken ? rejected('serial_number') : outcome)
  }
  return { found, outcomes }
}

function repeatedIn(names: readonly string[]): (name: string) => boolean {
  const [once, twice] = [new Set<string>(), new Set<string>()]
  for (const name of names) (once.has(name) ? twice : once).add(name)
  return (name) => twice.has(name)
}

async function judge(
  call: Caller,
  { addUsers = false }: ImportTarget,
  { app }: ImportedUser,
  user: ImportingUser | undefined,
): Promise<ImportOutcome> {
  if (!user) return addUsers ? { outcome: 'stored' } : rejected('unknown_user')
  if (user.everEnrolled === 1) {
    if (!(await hasApp(call, user.id, app))) return rejected('enrolled')
    return user.memberId !== null || addUsers ? { outcome: 'unchanged' } : rejected('not_member')
  }
  // The other system may still have the seed of the phone that was lost.
  if (user.importState === 'closed') return rejected('reset')
  return user.memberId !== null || addUsers ? { outcome: 'stored' } : rejected('not_member')
}

/** Whether the user has this very app. */
async function hasApp({ store: { db }, secrets }: Caller, userId: string, app: ImportedUser['app']): Promise<boolean> {
  const generator = await generatorOfHardware(db, userId)
  if (!generator) return false
  const { id, seed, algorithm, digits, period, counter } = generator
  if (counter !== null) return false
  if (algorithm !== app.algorithm || digits !== app.digits || period !== app.period) return false
  try {
    return secrets.open(seed, { kind: 'seed', id, userId }) === app.seed.toLowerCase()
  } catch (error) {
    if (error instanceof UnsealError) return false
    throw error
  }
}

/**
 * Adds users to the organization and to the domain, as a synchronization does: the audit entry of the batch counts them.
 * @returns the ids of those whom nobody else is adding, by username.
 */
async function addAll(
  call: Caller,
  { domainId }: ImportTarget,
  users: readonly ImportedUser[],
): Promise<ReadonlyMap<string, string>> {
  const {
    organizationId,
    store: { db },
  } = call
  const createdAt = call.clock.now()
  const rows = users.map(({ username, name = username, email = '' }) => {
    return { id: newIdOfTime(call.random, createdAt), organizationId, username, name, email, createdAt }
  })
  const ids = await insertUsers(db, rows)
  await insertNewMembers(db, domainId, [...ids])
  return new Map(rows.flatMap(({ id, username }) => (ids.has(id) ? [[username, id]] : [])))
}
