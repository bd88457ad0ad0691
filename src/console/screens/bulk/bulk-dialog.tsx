import { useRef, useState } from 'preact/hooks'

import type { Because } from '../../../admin-contract/because.ts'
import type { BulkAction, BulkJob } from '../../../admin-contract/bulk-jobs.ts'
import { Dialog } from '../../parts/confirm.tsx'
import { jobPlace } from '../../session/places.ts'
import { useRouter } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useWords } from '../../words/speech.tsx'
import { ConfirmJob } from './confirm-job.tsx'
import { PrepareJob } from './prepare-job.tsx'
import type { Selection } from './selection.ts'

interface BulkDialogProps {
  readonly action: BulkAction
  readonly selection: Selection
  readonly onClose: () => void
}

/**
 * First what the action is about, then whom it would change, and only then it starts. Escape does not close a preview, which took time
 * and cannot be opened again. The dialog stays until the service has said whether the action has started: a person who leaves before would take it for canceled.
 */
export function BulkDialog({ action, selection, onClose }: BulkDialogProps) {
  const { bulk } = useWords()
  const { client, session } = useSignedIn()
  const { go } = useRouter()
  const [job, setJob] = useState<BulkJob>()
  const [starting, setStarting] = useState(false)
  /** Set once the job has started: the browser returns the focus before the page changes. */
  const started = useRef<string>(undefined)
  const searchedDomain = 'search' in selection ? selection.search.domain : undefined
  const [domain, setDomain] = useState(searchedDomain ?? session.domains[0]?.id ?? '')

  async function prepare(because: Because) {
    const selected = 'people' in selection ? { people: [...selection.people] } : { search: selection.search }
    const scope = action === 'unlock' ? {} : { domain }
    setJob(await client.call('POST /admin/bulk-jobs', { body: { action, because, ...scope, ...selected } }))
  }
  async function start({ id, people }: BulkJob) {
    setStarting(true)
    try {
      await client.call('POST /admin/bulk-jobs/:bulkJobId/start', { params: { bulkJobId: id }, body: { people } })
    } finally {
      setStarting(false)
    }
    started.current = id
  }
  const isPreview = job !== undefined && job.people > 0
  function closed() {
    onClose()
    if (started.current !== undefined) go(jobPlace(started.current))
  }
  return (
    <Dialog title={bulk.actions[action].title} locked={starting || isPreview} onClose={closed}>
      {(close) =>
        job ? (
          <ConfirmJob job={job} onStart={start} onClose={close} />
        ) : (
          <PrepareJob action={action} domain={domain} onDomain={setDomain} onPrepare={prepare} onClose={close} />
        )
      }
    </Dialog>
  )
}
