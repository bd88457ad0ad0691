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
import type { Held, StagedRow } from './synchronization-statements.ts'
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
export async function stage(ctx: ServiceContext, held: Held, staging: Staging): Promise<Changes> {
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
    const some = rows.slice(start, start + stepSize).map((row, index) => ({
      ...row,
      newId: newIdAt(ctx.random, { position: start + index, count: rows.length }),
    }))
    const staged = await step(ctx, held, (db) => stageRows(ctx, db, held, some))
    for (const id of staged.userIds) staying.add(id)
    added += staged.added
    changed += staged.changed
    progress(start + some.length)
  }
  return { added, changed, removed: keepOthers ? 0 : await stageRest(ctx, held, staying) }
}

/** Stages new users, new members, and changes of existing ones. */
async function stageRows(
  ctx: ServiceContext,
  db: Queryable,
  held: Held,
  rows: readonly (SynchronizedRow & { newId: string })[],
): Promise<{ userIds: string[]; added: number; changed: number }> {
  const found = await usersByUsernames(
    db,
    held,
    rows.map(({ username }) => username),
  )
  const present = new Map(found.map((user) => [user.username, user]))
  const users = rows.map((row) => completeRow(row, present.get(row.username)))
  const newUsers = users.filter(({ username }) => !present.has(username))
  const changed = users.filter(({ username, name, email }) => {
    const user = present.get(username)
    return user !== undefined && (user.name !== name || user.email !== email)
  })
  await stageUsers(db, held, newUsers, ctx.clock.now())
  await stageChanges(
    db,
    held,
    changed.map(({ id: userId, name, email }) => ({ userId, name, email })),
  )
  const userIds = users.map(({ id }) => id)
  return { userIds, added: await stageMembers(db, held, userIds), changed: changed.length }
}

/** A row whose name or address cannot be used says nothing about it: a known user keeps it. */
function completeRow(
  { name, email, newId, ...row }: SynchronizedRow & { newId: string },
  present: (Pick<StagedRow, 'name' | 'email'> & { readonly id: string }) | undefined,
) {
  return {
    ...row,
    id: present?.id ?? newId,
    name: name ?? present?.name ?? row.username,
    email: email ?? present?.email ?? '',
  }
}

/** Stages the members who leave. @returns how many. */
async function stageRest(ctx: ServiceContext, held: Held, staying: ReadonlySet<string>): Promise<number> {
  let count = 0
  let last = ''
  for (;;) {
    const after = last
    const { userIds, leaving } = await step(ctx, held, async (db) => {
      const page = await memberIdsAfter(db, held, after)
      const gone = page.filter((id) => !staying.has(id))
      if (gone.length > 0) await stageLeaving(db, held, gone)
      return { userIds: page, leaving: gone.length }
    })
    count += leaving
    if (userIds.length === 0) return count
    last = userIds.at(-1) ?? last
  }
}
