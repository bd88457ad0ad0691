import { placesOf } from '../../../contract/factor-descriptions.ts'
import type * as contract from '../../../contract/users.ts'
import { quoteName } from '../../../contract/quote-name.ts'
import { hasDirectionControls } from '../../../contract/text.ts'
import { mapLaterFields, userFields, Username } from '../../../contract/users.ts'
import type { User, UserChanges } from '../../../contract/users.ts'
import { auditCall, auditRevoked } from '../../engine/audit/audit.ts'
import { answerOnce } from '../../engine/idempotency/answer-once.ts'
import type { Caller } from '../../engine/context/caller.ts'
import { readPage } from '../../engine/http/paging.ts'
import type { PageQuery } from '../../engine/http/paging.ts'
import type { Call, Handler, Input } from '../../engine/http/route.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { newId } from '../../engine/base/random.ts'
import { userView } from './view.ts'
import { belongings } from './belongings.ts'
import { removeUser } from './leave.ts'
import { insertMember, listMembers, memberBy } from './member-statements.ts'
import { runSteps } from '../../engine/steps/feature.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { insertUser, listUsers, lockUser, similarUsername, updateUser, userByUsername } from './statements.ts'
import type { UserRow } from './statements.ts'
import { releaseStagedUser } from './synchronize.ts'
import { findUser } from './find.ts'
import { notifyRevoked } from '../../engine/waiting/notify.ts'

export const create: Handler<typeof contract.createUser> = (input, call) => createUser(input, call)

/** @param domainId The domain, if any, that the user belongs to from the start. */
export async function createUser(
  input: Input<typeof contract.createUser>,
  call: Caller & Pick<Call, 'memory'>,
  domainId?: string,
): Promise<User> {
  const id = newId(call.random)
  const { username, name } = input
  if (input.provision) rejectDirectionControls(input)
  const { organizationId } = call
  const createdAt = call.clock.now()
  const fields = { username, name, ...placesOf(input), ...mapLaterFields((field) => input[field] ?? null) }
  const row = { id, organizationId, ...fields, everEnrolled: 0, createdAt } as const
  const insert = async (db: Queryable) => {
    if (!(await insertUser(db, row))) return undefined
    if (input.provision) await rejectSimilarName(db, call, row)
    await auditCall(db, call, 'user.created', { user: id })
    if (domainId !== undefined) await addToDomain(db, call, domainId, id)
    return id
  }
  const answer = async (_: string, inside: Caller) => show(inside, await findUser(inside, id))
  const attempt = () => answerOnce(call, { change: insert, answer })
  const created =
    (await attempt()) ?? ((await releaseStagedUser(call, { organizationId, username })) ? await attempt() : undefined)
  if (!created) throw new ApiProblem('api.error.conflict.username')
  return created
}

/** Runs in the transaction that ends any previous membership of the user. */
export async function addToDomain(db: Queryable, call: Caller, domainId: string, userId: string): Promise<void> {
  const added = await insertMember(db, domainId, userId)
  if (added) await auditCall(db, call, 'membership.added', { domain: domainId, user: userId })
}

/** Names of people who sign in come from these people. An administrator who adds a user has seen the name. */
function rejectDirectionControls(names: { readonly username: string; readonly name: string }): void {
  for (const field of ['username', 'name'] as const) {
    if (hasDirectionControls(names[field]))
      throw new ApiProblem(
        `api.error.invalid.${field}`,
        `${field}: must not contain characters that change the direction of text`,
      )
  }
}

/**
 * An app that stores names as typed but looks them up case-insensitively lets one person sign in as `alice` and as `ALICE`.
 * The second account would have no factor, and could enroll a first one with the password alone.
 */
async function rejectSimilarName(
  db: Queryable,
  call: Caller,
  row: { organizationId: string; id: string; username: string },
) {
  const similar = await similarUsername(db, row)
  if (similar === undefined) return
  call.logger.warn(
    { username: row.username, similar },
    'user not provisioned: the name could be mistaken for another one',
  )
  throw new ApiProblem(
    'api.error.conflict.similarusername',
    `username: could be mistaken for ${quoteName(similar)}, which is registered.`,
  )
}

export const find: Handler<typeof contract.findUsers> = async (input, call) => {
  if (input.username === undefined) return list(call, input)
  // No user can have this name, and PostgreSQL would reject parts of it.
  if (!Username.safeParse(input.username).success) throw new ApiProblem('api.error.notfound.user')
  const { db } = call.store
  const user =
    call.limitedTo === null
      ? await userByUsername(db, call.organizationId, input.username)
      : await memberBy(
          db,
          { organizationId: call.organizationId, domainId: call.limitedTo },
          { username: input.username },
        )
  if (!user) throw new ApiProblem('api.error.notfound.user')
  return show(call, user)
}

export const get: Handler<typeof contract.getUser> = async (input, call) => {
  return show(call, await findUser(call, input.userId))
}

export const update: Handler<typeof contract.updateUser> = async (input, call) => {
  const user = await findUser(call, input.userId)
  if (input.username !== undefined && input.username !== user.username) {
    throw new ApiProblem('api.error.invalid.username', 'username: cannot be changed.')
  }
  await call.store.db.transaction().execute((db) => changeUser(db, call, user, input))
  return show(call, await findUser(call, user.id))
}

/** Changes a user, in a transaction. Every change of an address goes through here, or through a synchronization. */
export async function changeUser(db: Queryable, call: Caller, user: UserRow, changes: UserChanges): Promise<void> {
  const now = call.clock.now()
  const readdressed = await updateUser(db, user.id, changes, now)
  if (readdressed) await runSteps(call.features.addressChanges, db, { userIds: [user.id], now })
  const fields = changedFields(changes, user)
  if (fields !== '') await auditCall(db, call, 'user.changed', { user: user.id, fields })
}

export const remove: Handler<typeof contract.deleteUser> = async (input, call) => {
  await call.store.db.transaction().execute(async (db) => {
    const { userId } = input
    if (!(await lockUser(db, call.organizationId, userId))) throw new ApiProblem('api.error.notfound.user')
    const ended = await removeUser(db, call, userId)
    await auditRevoked(db, call, ended, call)
    await auditCall(db, call, 'user.deleted', { user: userId })
    notifyRevoked(db, call, ended)
  })
}

function changedFields(changes: UserChanges, user: UserRow): string {
  return userFields.filter((field) => changes[field] !== undefined && changes[field] !== user[field]).join(',')
}

function list(call: Call, query: PageQuery): Promise<User[]> {
  const { db } = call.store
  return readPage(call, query, {
    rows: (page) =>
      call.limitedTo === null ? listUsers(db, call.organizationId, page) : listMembers(db, call.limitedTo, page),
    show: (rows) => showAll(call, rows),
  })
}

async function show(call: Caller, user: UserRow): Promise<User> {
  const [view] = await showAll(call, [user])
  if (!view) throw new ApiProblem('api.error.notfound.user')
  return view
}

/** @param counting The domain in which the factors have to count, if not in any. */
export async function showAll(call: Caller, users: readonly UserRow[], counting?: string): Promise<User[]> {
  const ids = users.map((user) => user.id)
  // A key that is limited to one domain sees nothing of others: neither a device there nor what codes they accept.
  const visible = call.limitedTo === null ? null : [call.limitedTo]
  const has = await belongings(call.store.db, ids, call.clock.now(), visible, counting ? [counting] : visible)
  return users.map((user) => withoutUnusable(call, userView(user, has.get(user.id))))
}

/** Without the package that verifies passkeys, apps must not offer any. */
function withoutUnusable({ verifiesPasskeys }: Pick<Caller, 'verifiesPasskeys'>, user: User): User {
  if (verifiesPasskeys) return user
  return { ...user, factors: user.factors?.filter((factor) => factor !== 'passkey'), passkeys: undefined }
}
