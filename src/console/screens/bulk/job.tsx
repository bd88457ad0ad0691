import type { BulkJob } from '../../../admin-contract/bulk-jobs.ts'
import { isolated } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { Problem } from '../../../ui/messages.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Page } from '../../parts/page.tsx'
import { WhenLoaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { apiBase } from '../../session/mount.ts'
import { jobsPlace } from '../../session/places.ts'
import { useSignedIn } from '../../session/session.tsx'
import { useAttempt } from '../../hooks/use-attempt.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useRepeated } from '../../hooks/use-repeated.ts'
import { useWords } from '../../words/speech.tsx'
import { useNumbers } from '../../words/use-numbers.ts'
import { useDomainNames } from '../../parts/domain-names.ts'

/** How often the page looks how far a job is, milliseconds. */
const interval = 1_000

/** The progress of a job, and its report. It is in the database, so the page can be left and reloaded. */
export function JobScreen({ id }: { readonly id: string }) {
  const { bulk } = useWords()
  const { client } = useSignedIn()
  const params = { bulkJobId: id }
  const job = useLoad(id, (unattended) => client.call('GET /admin/bulk-jobs/:bulkJobId', { params }, { unattended }))
  const running = job.value?.state === 'running'
  useRepeated(running, interval, () => job.reload(true))
  return (
    <Page
      title={job.value ? bulk.actions[job.value.action].title : bulk.job}
      above={{ to: jobsPlace, title: bulk.jobs }}
    >
      <WhenLoaded loaded={job}>{(loaded) => <JobParts job={loaded} reload={() => job.reload()} />}</WhenLoaded>
    </Page>
  )
}

interface JobPartsProps {
  readonly job: BulkJob
  readonly reload: () => Promise<void>
}

function JobParts({ job, reload }: JobPartsProps) {
  const words = useWords()
  const { count } = useNumbers()
  const namesOf = useDomainNames()
  const { bulk } = words
  const { state, people, done, skipped, failed, domain, startedAt, because, requestedBy } = job
  return (
    <>
      <section class="card job-progress">
        <p role="status">
          <strong>{bulk.states[state]}</strong>
          {state === 'running' ? ` · ${bulk.progress(count(done + skipped + failed), count(people))}` : null}
        </p>
        <progress max={people} value={done + skipped + failed} aria-label={bulk.job} />
        {state === 'stopped' ? <p class="sentence">{bulk.stoppedSentence}</p> : null}
        {state === 'running' ? <p class="sentence">{bulk.canLeave}</p> : null}
        {state === 'running' || state === 'prepared' ? <Cancel id={job.id} reload={reload} /> : null}
      </section>
      <section class="card">
        <h2>{bulk.report}</h2>
        <Facts
          facts={[
            { label: bulk.changed, value: count(done) },
            { label: bulk.skipped, value: count(skipped) },
            { label: bulk.failed, value: count(failed) },
            { label: bulk.notDone, value: count(people - done - skipped - failed) },
            ...(domain === undefined ? [] : [{ label: words.domain, value: <bdi>{namesOf([domain])}</bdi> }]),
            { label: words.reason, value: words.reasons[because] },
            { label: bulk.by, value: isolated(requestedBy.name) },
            ...(startedAt === undefined ? [] : [{ label: bulk.startedAt, value: <Time at={startedAt} /> }]),
          ]}
        />
        <div class="buttons">
          <a class="button outlined" href={`${apiBase}/admin/bulk-jobs/${job.id}/report.csv`} download>
            {bulk.download}
          </a>
        </div>
      </section>
    </>
  )
}

function Cancel({ id, reload }: { readonly id: string; readonly reload: () => Promise<void> }) {
  const { bulk } = useWords()
  const { client } = useSignedIn()
  const { busy, problem, run } = useAttempt()
  async function cancel() {
    await client.call('POST /admin/bulk-jobs/:bulkJobId/cancel', { params: { bulkJobId: id } })
    await reload()
  }
  return (
    <>
      <Problem text={problem} />
      <div class="buttons">
        <Button class="outlined" aria-disabled={busy} onClick={() => busy || void run(cancel)} label={bulk.cancel} />
      </div>
    </>
  )
}
