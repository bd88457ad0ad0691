import { NewUser } from '../../contract/users.ts'
import { describeMistakes, validate } from '../../contract/validate.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { drawTicket, stepSize, usersByUsernames } from '../store/synchronizations.ts'
import { synchronizeMembers } from '../sync/synchronize.ts'
import { RefusalError } from './errors.ts'
import { importAccepted } from './import-rows.ts'
import type { ImportOptions, ImportReport, Rejected } from './import-rows.ts'

/** A row of an import file: a user, not yet validated, or the reason why it could not be read. */
export type UserRow = { readonly line: number } & ({ readonly user: NewUser } | { readonly reason: string })

interface UserImportOptions extends ImportOptions {
  /** Updates name and e-mail address of existing users from the file; otherwise such rows are rejected. */
  readonly update?: boolean
}

/** Adds users to a domain, and new users to the organization, all in one transaction. */
export async function importUsers(
  ctx: ServiceContext,
  of: { readonly organizationId: string; readonly domainId: string },
  rows: readonly UserRow[],
  options: UserImportOptions = {},
): Promise<ImportReport> {
  const { update = false, progress = () => {} } = options
  const distinct = distinctRows(rows.map((row) => checkRow(row)))
  const compared = await compareWithPresent(ctx, of.organizationId, distinct.accepted, {
    update,
    progress: (done) => progress(done, 2 * rows.length),
  })
  const checked = { ...compared, rejected: [...distinct.rejected, ...compared.rejected] }
  return importAccepted(checked, options, (accepted) =>
    addAll(ctx, of, accepted, (done) => progress(rows.length + done, 2 * rows.length)),
  )
}

interface Accepted {
  readonly line: number
  readonly user: NewUser
}

function checkRow(row: UserRow): Accepted | Rejected {
  if ('reason' in row) return row
  const { user, line } = row
  const validated = validate(user.email === '' ? withoutEmail : NewUser, user)
  return validated.success ? { line, user } : { line, reason: describeMistakes(validated.mistakes) }
}

const withoutEmail = NewUser.omit({ email: true })

/** Identical rows count as one row. */
function distinctRows(rows: readonly (Accepted | Rejected)[]): { accepted: Accepted[]; rejected: Rejected[] } {
  const firsts = new Map<string, Accepted>()
  const rejected: Rejected[] = []
  for (const row of rows) {
    if ('reason' in row) {
      rejected.push(row)
      continue
    }
    const first = firsts.get(row.user.username)
    if (!first) firsts.set(row.user.username, row)
    else if (differ(first.user, row.user)) {
      rejected.push({ line: row.line, reason: `line ${first.line} has the same username, with another name or email` })
    }
  }
  return { accepted: [...firsts.values()], rejected }
}

const differ = (one: NewUser, other: NewUser) => one.name !== other.name || one.email !== other.email

async function compareWithPresent(
  ctx: ServiceContext,
  organizationId: string,
  rows: readonly Accepted[],
  { update, progress }: { update: boolean; progress: (done: number) => void },
): Promise<{ accepted: Accepted[]; present: number; rejected: Rejected[] }> {
  const accepted: Accepted[] = []
  const rejected: Rejected[] = []
  let present = 0
  for (let start = 0; start < rows.length; start += stepSize) {
    const some = rows.slice(start, start + stepSize)
    const usernames = some.map(({ user }) => user.username)
    const found = await usersByUsernames(ctx.store.db, { organizationId }, usernames)
    const users = new Map(found.map((user) => [user.username, user]))
    for (const row of some) {
      const user = users.get(row.user.username)
      if (user && !update && differ(user, row.user)) rejected.push({ line: row.line, reason: otherwisePresent })
      else accepted.push(row)
      present += user ? 1 : 0
    }
    progress(start + some.length)
  }
  return { accepted, present: present - rejected.length, rejected }
}

const otherwisePresent = 'the user is there already, with another name or e-mail address; --update changes them'

async function addAll(
  ctx: ServiceContext,
  of: { readonly organizationId: string; readonly domainId: string },
  rows: readonly Accepted[],
  progress: (done: number) => void,
): Promise<void> {
  const ticket = await drawTicket(ctx.store.db, of)
  if (ticket === undefined) throw new RangeError('domainId: no such domain')
  const applied = await synchronizeMembers(ctx, {
    ...of,
    rows: rows.map(({ user }) => user),
    keepOthers: true,
    ticket,
    expected: undefined,
    progress,
  })
  if (!applied) {
    throw new RefusalError(
      'The users of the domain were synchronized at the same time. Nothing was imported. Try again.',
    )
  }
}
