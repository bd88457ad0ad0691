import { NewUser } from '../../../contract/users.ts'
import { describeMistakes, validate } from '../../../contract/validate.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { existingByUsernames } from './statements.ts'
import { drawTicket } from './synchronization-statements.ts'
import { synchronizeMembers } from './synchronize.ts'
import { RefusalError } from '../../engine/base/errors.ts'
import { importRows } from '../../engine/base/import-rows.ts'
import type { ImportOptions, ImportReport, Rejected, RowBatches } from '../../engine/base/import-rows.ts'

/** A row of an import file: a user, not yet validated, or the reason why it could not be read. */
export type UserRow = { readonly line: number } & ({ readonly user: NewUser } | { readonly reason: string })

interface UserImportOptions extends ImportOptions {
  /** Updates name and e-mail address of existing users from the file; otherwise such rows are rejected. */
  readonly update?: boolean
}

/** Adds users to a domain, and new users to the organization, all in one transaction. */
export async function importUsers(
  ctx: ServiceContext,
  target: { readonly organizationId: string; readonly domainId: string },
  rows: RowBatches<UserRow>,
  options: UserImportOptions = {},
): Promise<ImportReport> {
  const { update = false, progress = () => {} } = options
  const check = createCheck()
  const { presentRows: _ofTokens, ...report } = await importRows(
    {
      rows,
      check: (batch) => compareWithPresent(ctx, target.organizationId, check(batch), update),
      importAll: (accepted) => addAll(ctx, target, accepted, (done) => progress(done, accepted.length)),
    },
    options,
  )
  return report
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

interface Checked {
  readonly accepted: readonly Accepted[]
  readonly rejected: readonly Rejected[]
}

/** Checks the rows of one file, in which users can be repeated. Identical rows count as one row. */
function createCheck(): (rows: readonly UserRow[]) => Checked {
  const firsts = new Map<string, Accepted>()
  return (rows) => {
    const accepted: Accepted[] = []
    const rejected: Rejected[] = []
    for (const row of rows.map((each) => checkRow(each))) {
      if ('reason' in row) {
        rejected.push(row)
        continue
      }
      const first = firsts.get(row.user.username)
      if (!first) {
        firsts.set(row.user.username, row)
        accepted.push(row)
      } else if (differ(first.user, row.user)) {
        rejected.push({
          line: row.line,
          reason: `line ${first.line} has the same username, with another name or email`,
        })
      }
    }
    return { accepted, rejected }
  }
}

const differ = (first: NewUser, second: NewUser) => first.name !== second.name || first.email !== second.email

async function compareWithPresent(
  ctx: ServiceContext,
  organizationId: string,
  { accepted, rejected }: Checked,
  update: boolean,
): Promise<Checked & { readonly present: number }> {
  const usernames = accepted.map(({ user }) => user.username)
  // Of an import that was interrupted, nobody sees the users that it has staged, and the next one removes them.
  const rows = usernames.length > 0 && (await existingByUsernames(ctx.store.db, { organizationId }, usernames))
  const users = new Map((rows || []).map((user) => [user.username, user]))
  const isOther = ({ user }: Accepted) => {
    const knownUser = users.get(user.username)
    return knownUser !== undefined && !update && differ(knownUser, user)
  }
  const otherRejections = accepted.filter((row) => isOther(row)).map(({ line }) => ({ line, reason: otherwisePresent }))
  return {
    accepted: accepted.filter((row) => !isOther(row)),
    rejected: [...rejected, ...otherRejections],
    present: users.size - otherRejections.length,
  }
}

const otherwisePresent = 'the user is there already, with another name or e-mail address; --update changes them'

async function addAll(
  ctx: ServiceContext,
  target: { readonly organizationId: string; readonly domainId: string },
  rows: readonly Accepted[],
  progress: (done: number) => void,
): Promise<void> {
  const ticket = await drawTicket(ctx.store.db, target)
  if (ticket === undefined) throw new RangeError('domainId: no such domain')
  const applied = await synchronizeMembers(ctx, {
    ...target,
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
