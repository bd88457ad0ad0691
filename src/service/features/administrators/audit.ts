import type * as contract from '../../../admin-contract/audit.ts'
import type { AuditItem, AuditPage } from '../../../admin-contract/audit.ts'
import { notReported } from '../../../admin-contract/overview-lists.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import { auditCsv, auditLines } from '../../engine/audit/export.ts'
import { itemOf } from '../../engine/audit/item.ts'
import { readNewer, readOlder } from '../../engine/audit/pages.ts'
import type { Call, FileOutput, Handler, Input } from '../../engine/http/route.ts'
import type { AuditQuery } from '../../engine/audit/page-statements.ts'
import { signedIn } from './call.ts'
import { exportName, filterFact } from './export-file.ts'
import { namesIn } from './names.ts'
import { requireSameRights, whileAllowed } from './same-rights.ts'
import { domainsFor } from './scope.ts'

/** How often a held read looks for new entries, seconds. Sign-ins would slow down if each of their entries woke readers. */
const interval = 2

type Filter = Input<typeof contract.exportAuditCsv>

export const list: Handler<typeof contract.listAudit> = async ({ before, after, ...filter }, call) => {
  const query = await queryOf(filter, call)
  const { db } = call.store
  if (after === undefined)
    return pageOf(call, await readOlder(db, query, before === undefined ? undefined : Number(before), call.clock.now()))
  const follow = async () => {
    await requireSameRights(call)
    return pageOf(call, await readNewer(db, query, Number(after), call.clock.now()))
  }
  const read = {
    read: follow,
    changesAt: ({ entries }: AuditPage) => (entries.length > 0 ? undefined : call.clock.now() + interval),
    userOf: () => signedIn(call).id,
  }
  return call.http ? call.http.hold(`audit:${query.organizationId}`, read) : follow()
}

export const exportCsv: Handler<typeof contract.exportAuditCsv> = (filter, call) =>
  exported('csv', auditCsv, filter, call)

export const exportLines: Handler<typeof contract.exportAuditLines> = (filter, call) =>
  exported('jsonl', auditLines, filter, call)

/** The trail records who took entries away before the first of them is sent. */
async function exported(
  format: 'csv' | 'jsonl',
  write: typeof auditCsv,
  filter: Filter,
  call: Call,
): Promise<FileOutput> {
  const { db } = call.store
  const query = await queryOf(filter, call)
  const facts = { format, filter: filterFact(filter, namesOf(filter)) }
  await db.transaction().execute((tx) => auditCall(tx, call, 'audit.exported', facts))
  const now = call.clock.now()
  return { name: exportName('audit', format, now), content: whileAllowed(call, write(db, query, now)) }
}

/** An actor at the command line is a name. */
const namesOf = ({ actor }: Filter): readonly string[] =>
  actor !== undefined && !/^[0-9a-f]{40}$/.test(actor) ? ['actor'] : []

/** Entries of the caller's organization, about its domains if it is limited to some. */
async function queryOf({ event, actor, since, until, domain, user, reason, factor }: Filter, call: Call) {
  const isNotReported = reason === notReported
  const report = { user, factor, ...(!isNotReported && { reason }) }
  const facts = Object.entries(report).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  const query: AuditQuery = {
    organizationId: signedIn(call).organizationId,
    domainIds: await domainsFor(call, domain),
    events: event?.split(','),
    actor,
    since: since === undefined ? undefined : Number(since),
    until: until === undefined ? undefined : Number(until),
    facts: Object.fromEntries(facts),
    ...(isNotReported && { otherFacts: { reason: 'reported' } }),
  }
  return query
}

async function pageOf(call: Call, { rows, ...places }: Awaited<ReturnType<typeof readNewer>>): Promise<AuditPage> {
  const entries = rows.map((row) => itemOf(row))
  return { entries, names: await namesIn(call, entries.flatMap(idsOf)), ...places }
}

const idsOf = ({ actor, facts }: AuditItem): readonly string[] =>
  [actor.id, facts['user'], facts['domain'], facts['administrator']].filter((id) => typeof id === 'string')
