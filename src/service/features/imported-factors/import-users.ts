import type { ImportedUser, ImportOutcome, ImportRefusal } from '../../../contract/factor-import.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import { newId } from '../../engine/base/random.ts'
import type { Caller } from '../../engine/context/caller.ts'
import { within } from '../../engine/context/within.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import { UnsealError } from '../../engine/secrets/sealing.ts'
import { joinDomain } from '../domains/members.ts'
import { generatorOfHardware } from '../factors/possessions.ts'
import { presentSerialNumbers } from '../hardware/statements.ts'
import { addToDomain } from '../users/operations.ts'
import { insertUser, lockUser } from '../users/statements.ts'
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
 * Stores the factors of some users, in one transaction. It can be repeated: those whose app is there already stay as they are, and with
 * them the code that was used last.
 *
 * @returns what became of each, in their order.
 */
export function importUsers(
  call: Caller,
  target: ImportTarget,
  users: readonly ImportedUser[],
): Promise<ImportOutcome[]> {
  return inTransaction(call.store.db, async (db) => {
    const inside = within(call, db)
    const { found, outcomes } = await judgeAll(inside, target, users)
    // Always in the same order, so that two imports at once do not wait for each other.
    const storing = users.filter((_user, index) => outcomes[index]?.outcome === 'stored')
    const ids = storing.flatMap(({ username }) => found.get(username)?.id ?? []).toSorted()
    for (const id of ids) await lockUser(db, call.organizationId, id)
    let [count, added] = [0, 0]
    for (const [index, user] of users.entries()) {
      if (outcomes[index]?.outcome !== 'stored') continue
      const userId = await placeInDomain(inside, target, user, found.get(user.username))
      const stored = userId !== undefined && (await store(inside, target, { ...user, userId }))
      if (!stored) outcomes[index] = rejected(userId === undefined ? 'busy' : 'enrolled')
      else count += 1
      if (userId !== undefined && !found.has(user.username)) added += 1
    }
    const facts = { domain: target.domainId, count, added, skipped: users.length - count }
    if (count > 0) await auditCall(db, inside, 'factors.batch_imported', facts)
    return outcomes
  })
}

/** What `importUsers` would do. */
export async function previewImport(
  call: Caller,
  target: ImportTarget,
  users: readonly ImportedUser[],
): Promise<ImportOutcome[]> {
  return (await judgeAll(call, target, users)).outcomes
}

const rejected = (reason: ImportRefusal): ImportOutcome => ({ outcome: 'rejected', reason })

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
  if (user.everEnrolled === 1)
    return (await hasApp(call, user.id, app)) ? { outcome: 'unchanged' } : rejected('enrolled')
  // The other system may still have the seed of the phone that was lost.
  if (user.importState === 'closed') return rejected('reset')
  return user.memberId !== null || addUsers ? { outcome: 'stored' } : rejected('not_member')
}

/** Whether the user has this very app. */
async function hasApp({ store: { db }, secrets }: Caller, userId: string, app: ImportedUser['app']): Promise<boolean> {
  const generator = await generatorOfHardware(db, userId)
  if (!generator) return false
  const { id, seed, algorithm, digits, period } = generator
  if (algorithm !== app.algorithm || digits !== app.digits || period !== app.period) return false
  try {
    return secrets.open(seed, { kind: 'seed', id, userId }) === app.seed.toLowerCase()
  } catch (error) {
    if (error instanceof UnsealError) return false
    throw error
  }
}

/** Adds the user to the organization and to the domain, where that is needed. @returns undefined where somebody else is adding the user. */
async function placeInDomain(
  call: Caller,
  { domainId }: ImportTarget,
  { username, name = username, email = '' }: ImportedUser,
  user: ImportingUser | undefined,
): Promise<string | undefined> {
  const {
    organizationId,
    store: { db },
  } = call
  if (user) {
    if (user.memberId === null) await joinDomain(db, call, { domainId, userId: user.id })
    return user.id
  }
  const id = newId(call.random)
  const row = { id, organizationId, username, name, email, everEnrolled: 0, createdAt: call.clock.now() } as const
  if (!(await insertUser(db, row))) return undefined
  await auditCall(db, call, 'user.created', { user: id })
  await addToDomain(db, call, domainId, id)
  return id
}

async function store(
  call: Caller,
  { domainId }: ImportTarget,
  { userId, app, recovery, serialNumber }: ImportedUser & { readonly userId: string },
): Promise<boolean> {
  const member = { organizationId: call.organizationId, domainId, userId }
  const factors = { app, serialNumber, ...(recovery && { recovery }) }
  return (await storeImported(call.store.db, call, member, factors)) !== undefined
}
