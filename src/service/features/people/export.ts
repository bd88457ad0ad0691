import type { PeopleSearch, PersonSummary } from '../../../admin-contract/people.ts'
import type * as contract from '../../../admin-contract/people-export.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import type { Call, FileOutput, Handler } from '../../engine/http/route.ts'
import { csvHead, csvRecord } from '../../engine/base/csv.ts'
import { domainsOf } from '../domains/statements.ts'
import { signedIn } from '../administrators/call.ts'
import { exportName, filterFact } from '../administrators/export-file.ts'
import { whileAllowed } from '../administrators/same-rights.ts'
import { summaries } from './console.ts'
import { allPeople } from './pages.ts'
import { domainsFor } from '../administrators/scope.ts'

/** How many people are read at once: about 20 ms. */
const step = 200

export const exportCsv: Handler<typeof contract.exportPeopleCsv> = (search, call) =>
  exported('csv', peopleCsv, search, call)

export const exportLines: Handler<typeof contract.exportPeopleLines> = (search, call) =>
  exported('jsonl', peopleLines, search, call)

/** The trail records who took people's data away before the first of it is sent. */
async function exported(
  format: 'csv' | 'jsonl',
  write: typeof peopleCsv,
  search: PeopleSearch,
  call: Call,
): Promise<FileOutput> {
  await domainsFor(call, search.domain)
  const filter = filterFact(search, ['q'])
  await call.store.db.transaction().execute((tx) => auditCall(tx, call, 'people.exported', { format, filter }))
  const content = whileAllowed(call, write(call, search))
  return { name: exportName('people', format, call.clock.now()), content }
}

async function* peopleCsv(call: Call, search: PeopleSearch): AsyncGenerator<string> {
  const all = Object.values(columns)
  yield csvHead(all.map(([title]) => title))
  const domains = await domainsOf(call.store.db, signedIn(call).organizationId)
  const names = new Map(domains.map(({ id, name }) => [id, name]))
  for await (const people of pages(call, search))
    yield people.map((person) => csvRecord(all.map(([, cell]) => cell(person, names)))).join('')
}

async function* peopleLines(call: Call, search: PeopleSearch): AsyncGenerator<string> {
  for await (const people of pages(call, search)) yield people.map((person) => `${JSON.stringify(person)}\n`).join('')
}

async function* pages(call: Call, search: PeopleSearch): AsyncGenerator<readonly PersonSummary[]> {
  for await (const rows of allPeople(call, search, step)) yield await summaries(call, rows)
}

type Cell = (person: PersonSummary, names: ReadonlyMap<string, string>) => string | number | undefined

/** The columns of the file, each with its title. */
const columns: Readonly<Record<keyof PersonSummary, readonly [title: string, cell: Cell]>> = {
  id: ['id', ({ id }) => id],
  username: ['username', ({ username }) => username],
  name: ['name', ({ name }) => name],
  email: ['email', ({ email }) => email],
  domains: ['domains', ({ domains }, names) => domains.map((domain) => names.get(domain) ?? domain).join('; ')],
  factors: ['methods', ({ factors }) => factors.join('; ')],
  locked: ['locked', ({ locked }) => locked && (locked.until === null ? 'until unlocked' : timeOf(locked.until))],
  bypassCodes: ['recovery codes', ({ bypassCodes }) => bypassCodes],
  lastSignInAt: ['last sign-in', ({ lastSignInAt }) => (lastSignInAt === undefined ? undefined : timeOf(lastSignInAt))],
}

const timeOf = (at: number): string => new Date(at * 1000).toISOString()
