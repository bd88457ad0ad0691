import type { ServiceContext } from '../../engine/context/service-context.ts'
import { newIdAt } from '../../engine/base/random.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import {
  memberIdsAfter,
  stageChanges,
  stageLeaving,
  stageMembers,
  stageUsers,
  stepSize,
  usersByUsernames,
} from './synchronization-statements.ts'
import type { ClaimedSync, StagedRow } from './synchronization-statements.ts'
import { step } from './synchronization-step.ts'

/** The changes of a synchronization: joining members, changed users, leaving members. */
export interface Changes {
  readonly added: number
  readonly changed: number
  readonly removed: number
}

/** The number of rows after which the database first analyzes its tables; then whenever there are four times as many. */
const firstAnalysis = 2_000

/** A row of a synchronization; what is undefined could not be used. */
export interface SynchronizedRow {
  readonly username: string
  readonly name: string | undefined
  readonly email: string | undefined
}

export interface Staging {
  readonly rows: readonly SynchronizedRow[]
  /** Whether members who are not in the rows stay. */
  readonly keepOthers?: boolean
  readonly progress?: (done: number) => void
}

/** Stages the changes, where they are not visible yet. */
export async function stage(ctx: ServiceContext, claimed: ClaimedSync, staging: Staging): Promise<Changes> {
  const { rows, keepOthers = false, progress = () => {} } = staging
  const staying = new Set<string>()
  let added = 0
  let changed = 0
  let analyzeAt = firstAnalysis
  for (let start = 0; start < rows.length; start += stepSize) {
    if (start >= analyzeAt) {
      await ctx.store.analyze()
      analyzeAt *= 4
    }
    const batch = rows.slice(start, start + stepSize).map((row, index) => ({
      ...row,
      newId: newIdAt(ctx.random, { position: start + index, count: rows.length }),
    }))
    const stagedRows = await step(ctx, claimed, (db) => stageRows(ctx, db, claimed, batch))
    for (const id of stagedRows.userIds) staying.add(id)
    added += stagedRows.added
    changed += stagedRows.changed
    progress(start + batch.length)
  }
  return { added, changed, removed: keepOthers ? 0 : await stageRest(ctx, claimed, staying) }
}

/** Stages new users, new members, and changes of existing ones. */
async function stageRows(
  ctx: ServiceContext,
  db: Queryable,
  claimed: ClaimedSync,
  rows: readonly (SynchronizedRow & { newId: string })[],
): Promise<{ userIds: string[]; added: number; changed: number }> {
  const existingUsers = await usersByUsernames(
    db,
    claimed,
    rows.map(({ username }) => username),
  )
  const byUsername = new Map(existingUsers.map((user) => [user.username, user]))
  const users = rows.map((row) => completeRow(row, byUsername.get(row.username)))
  const newUsers = users.filter(({ username }) => !byUsername.has(username))
  const changed = users.filter(({ username, name, email }) => {
    const user = byUsername.get(username)
    return user !== undefined && (user.name !== name || user.email !== email)
  })
  await stageUsers(db, claimed, newUsers, ctx.clock.now())
  await stageChanges(
    db,
    claimed,
    changed.map(({ id: userId, name, email }) => ({ userId, name, email })),
  )
  const userIds = users.map(({ id }) => id)
  return { userIds, added: await stageMembers(db, claimed, userIds), changed: changed.length }
}

/** A row whose name or address cannot be used says nothing about it: a known user keeps it. */
function completeRow(
  { name, email, newId, ...row }: SynchronizedRow & { newId: string },
  existing: (Pick<StagedRow, 'name' | 'email'> & { readonly id: string }) | undefined,
) {
  return {
    ...row,
    id: existing?.id ?? newId,
    name: name ?? existing?.name ?? row.username,
    email: email ?? existing?.email ?? '',
  }
}

/** Stages the members who leave. @returns how many. */
async function stageRest(ctx: ServiceContext, claimed: ClaimedSync, staying: ReadonlySet<string>): Promise<number> {
  let count = 0
  let last = ''
  for (;;) {
    const after = last
    const { userIds, leaving } = await step(ctx, claimed, async (db) => {
      const page = await memberIdsAfter(db, claimed, after)
      const leavers = page.filter((id) => !staying.has(id))
      if (leavers.length > 0) await stageLeaving(db, claimed, leavers)
      return { userIds: page, leaving: leavers.length }
    })
    count += leaving
    if (userIds.length === 0) return count
    last = userIds.at(-1) ?? last
  }
}
