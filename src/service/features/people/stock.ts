import { helpDeskSerialLength } from '../../../admin-contract/stock-limits.ts'
import { stockPage } from '../../../admin-contract/stock.ts'
import type * as contract from '../../../admin-contract/stock.ts'
import type { StockReport, StockToken } from '../../../admin-contract/stock.ts'
import { SetupError } from '../../../service-handle.ts'
import { RefusalError } from '../../engine/base/errors.ts'
import { importHardwareTokens } from '../hardware/import.ts'
import { deleteFreeToken, resynchronizeHardware } from '../hardware/stock.ts'
import { ApiProblem, tooManyRequests } from '../../engine/base/problem.ts'
import type { Call, Handler, Input } from '../../engine/http/route.ts'
import { FileProblem } from '../hardware/files/file-problem.ts'
import { readTokens } from '../hardware/files/read-tokens.ts'
import { userNames } from '../../engine/audit/page-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { countStock, findStock } from './stock-statements.ts'
import type { StockRow } from './stock-statements.ts'
import { hardwareView } from '../hardware/view.ts'
import { signedIn } from '../administrators/call.ts'
import type { Change, ChangeHandler } from '../administrators/change.ts'
import { showPerson } from './console.ts'
import { countLimit, searchText, totalOf } from './pages.ts'
import { foldText } from './search-words.ts'
import { managesEveryDomain } from '../administrators/scope.ts'

export const list: Handler<typeof contract.listStock> = async ({ q = '', filter, from }, call) => {
  const administrator = signedIn(call)
  const { organizationId, domainIds, role } = administrator
  const text = searchText(q)
  const { db } = call.store
  const query = {
    organizationId,
    domainIds: domainIds ?? [],
    everyone: domainIds === null ? 1 : 0,
    free: role === 'helpdesk' && (await comparedLength(db, text)) < helpDeskSerialLength ? 0 : 1,
  } as const
  const first = Number(from ?? 1)
  const options = { filter: filter ?? 'none', text } as const
  const { foundRows, count } = await call.lists.ofConsole.run(async () => ({
    foundRows: await findStock(db, { ...query, offset: first - 1, limit: stockPage + 1 }, options),
    count: await countStock(db, { ...query, offset: 0, limit: countLimit }, options),
  }))
  const rows = foundRows.slice(0, stockPage)
  const scope = { db, administrator, now: call.clock.now() }
  return {
    tokens: await withPeople(call, rows),
    from: first,
    total: totalOf(count),
    ...(foundRows.length > stockPage && { next: first + stockPage }),
    changeable: (role === 'owner' || role === 'admin') && (await managesEveryDomain(scope)),
  }
}

/** The characters that are compared with serial numbers. Accents alone would leave none of them, and find every token. */
async function comparedLength(db: Queryable, text: string): Promise<number> {
  const lengths = [text, await foldText(db, text)].map((compared) => Array.from(compared).length)
  return Math.min(...lengths)
}

async function withPeople(call: Call, rows: readonly StockRow[]): Promise<StockToken[]> {
  const names = await userNames(
    call.store.db,
    rows.flatMap(({ userId }) => userId ?? []),
  )
  const people = new Map(names.map(({ id, username, name }) => [id, { id, username, name }]))
  return rows.map((row) => {
    const { user, selfEnrolled: _app, ...token } = hardwareView(row)
    const person = people.get(user)
    return { ...token, ...(person && { person }) }
  })
}

/**
 * An administrator who imports a file may know the secrets in it, and any domain can assign these tokens. So only administrators
 * of all domains import.
 */
export const importFile: ChangeHandler<typeof contract.importStock> = async (input, call, change) => {
  const leave = takePlace(call)
  try {
    return await importRead(input, call, change)
  } catch (error) {
    throw asProblem(error)
  } finally {
    leave()
  }
}

async function importRead(
  { file, key, password, encoding, dryRun, skipRejected, because }: Input<typeof contract.importStock>,
  call: Call,
  change: Change,
): Promise<StockReport> {
  const ignored: string[] = []
  const rows = readTokens(file, {
    key: key === undefined ? undefined : Buffer.from(key, 'hex'),
    password: password === undefined ? undefined : decoded(password),
    encoding,
    noteIgnored: (names) => void ignored.push(...names),
  })
  const report = await importHardwareTokens(call, call.organizationId, rows, {
    transact: (insert) => change((inside) => insert({ ...inside, because })),
    dryRun: dryRun === 'true',
    skipRejected: skipRejected === 'true',
    requireWaiting() {
      if (call.http?.disconnected()) throw new ApiProblem('api.error.malformed', 'The request was aborted.')
    },
  })
  // The report alone says which serial numbers are there already.
  if (report.imported === 0) await change(() => Promise.resolve())
  return {
    presentRows: 0,
    ...report,
    preview: [...report.preview],
    ...(ignored.length > 0 && { ignored }),
    rejected: report.rejected.map((row) => ({ code: 'row', ...row })),
  }
}

/** The `Retry-After` while another import runs, seconds. */
const importRetry = 5

/** @throws {ApiProblem} while another import of this administrator runs. It ends when its connection does. */
function takePlace(call: Call): () => void {
  const leave = call.places.importsOfAdministrator.take(signedIn(call).id)
  if (leave) return leave
  const limit = 'one import at a time for each administrator'
  throw tooManyRequests({ limit, wait: importRetry, now: call.clock.now() })
}

/** A problem of the file, with the field that it concerns. */
function asProblem(error: unknown): unknown {
  if (error instanceof SetupError)
    return new ApiProblem('api.error.unavailable.pskc', `${error.message}.`, { cause: error })
  if (error instanceof RefusalError) return new ApiProblem('api.error.conflict.state', error.message, { cause: error })
  if (!(error instanceof FileProblem)) return error
  const field = fields[error.kind]
  return new ApiProblem(`api.error.invalid.${field}`, `${field}: ${error.message}`, { cause: error })
}

const fields = {
  content: 'file',
  encoding_missing: 'encoding',
  key_missing: 'key',
  key_wrong: 'key',
  key_unused: 'key',
  password_missing: 'password',
  password_wrong: 'password',
} as const

/** @throws {ApiProblem} for text that is not percent-encoded. */
function decoded(password: string): string {
  try {
    return decodeURIComponent(password)
  } catch (cause) {
    throw new ApiProblem('api.error.invalid.password', 'password: must be percent-encoded', { cause })
  }
}

export const remove: ChangeHandler<typeof contract.deleteStockToken> = ({ hardwareTokenId, because }, _call, change) =>
  change((inside) => deleteFreeToken({ ...inside, because }, hardwareTokenId))

export const resynchronize: ChangeHandler<typeof contract.resynchronizePersonHardware> = async (
  input,
  call,
  change,
) => {
  const { userId, first, second, because } = input
  await change((inside) => resynchronizeHardware({ ...inside, because }, { userId, codes: [first, second] }))
  return showPerson(call, userId)
}
