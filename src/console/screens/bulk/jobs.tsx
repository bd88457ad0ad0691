import type { BulkJob } from '../../../admin-contract/bulk-jobs.ts'
import { isolated } from '../../../ground/printable.ts'
import { list } from '../../../ui/icons.ts'
import { type Column, DataList } from '../../parts/data-list.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty, WhenLoaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { jobPlace } from '../../session/places.ts'
import { useSignedIn } from '../../session/session.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { useWords } from '../../words/speech.tsx'
import { useNumbers } from '../../words/use-numbers.ts'

/** Actions on many people that were started in the last 30 days. */
export function JobsScreen() {
  const words = useWords()
  const { bulk } = words
  const { count } = useNumbers()
  const { client } = useSignedIn()
  const jobs = useLoad('jobs', () => client.call('GET /admin/bulk-jobs', {}))
  const columns: readonly Column<BulkJob>[] = [
    { title: bulk.job, cell: ({ action }) => <strong>{bulk.actions[action].title}</strong> },
    { title: words.status, cell: ({ state }) => bulk.states[state] },
    { title: bulk.changed, cell: ({ done, people }) => bulk.progress(count(done), count(people)) },
    { title: bulk.by, cell: ({ requestedBy }) => isolated(requestedBy.name) },
    { title: bulk.startedAt, cell: ({ startedAt }) => (startedAt === undefined ? '' : <Time at={startedAt} />) },
  ]
  return (
    <Page title={bulk.jobs} above={{ to: 'people', title: words.people }}>
      <WhenLoaded loaded={jobs}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon={list}>
              <p>{bulk.noJobs}</p>
            </Empty>
          ) : (
            <DataList
              label={bulk.jobs}
              rows={rows}
              columns={columns}
              keyOf={({ id }) => id}
              linkOf={({ id }) => jobPlace(id)}
            />
          )
        }
      </WhenLoaded>
    </Page>
  )
}
