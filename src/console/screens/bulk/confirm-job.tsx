import { useState } from 'preact/hooks'

import type { BulkJob } from '../../../admin-contract/bulk-jobs.ts'
import { Button } from '../../../ui/button.tsx'
import { Problem } from '../../../ui/messages.tsx'
import { useAttempt } from '../../hooks/use-attempt.ts'
import { useWords } from '../../words/speech.tsx'
import { useNumbers } from '../../words/use-numbers.ts'
import { useDomainNames } from '../../parts/domain-names.ts'

interface ConfirmJobProps {
  readonly job: BulkJob
  readonly onStart: (job: BulkJob) => Promise<void>
  readonly onClose: () => void
}

/** Whom the job would change, and whom it leaves out. What cannot be undone starts when its number is typed. */
export function ConfirmJob({ job, onStart, onClose }: ConfirmJobProps) {
  const words = useWords()
  const { count } = useNumbers()
  const namesOf = useDomainNames()
  const { busy, problem, run } = useAttempt()
  const [typedText, setTyped] = useState('')
  const { bulk } = words
  const { action, people, domain, leftOut } = job
  const final = action === 'remove_member'
  const place = domain === undefined ? '' : namesOf([domain])
  if (people === 0) {
    return (
      <>
        <div class="sentence">
          <p>{bulk.noOne}</p>
          <LeftOut leftOut={leftOut} />
        </div>
        <div class="actions">
          <Button class="filled" onClick={onClose} label={words.done} />
        </div>
      </>
    )
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (busy || (final && typedText !== String(people))) return
        void run(async () => {
          await onStart(job)
          onClose()
        })
      }}
    >
      <div class="sentence">
        <p role="status">
          <strong>
            {action === 'unlock'
              ? bulk.actions.unlock.preview(count(people))
              : bulk.actions[action].preview(place, count(people))}
          </strong>
        </p>
        <LeftOut leftOut={leftOut} />
        {final ? (
          <label class="field">
            <span>{bulk.typeNumber(String(people))}</span>
            <input
              inputMode="numeric"
              autocomplete="off"
              required
              dir="ltr"
              value={typedText}
              onInput={({ currentTarget }) => setTyped(currentTarget.value.trim())}
            />
          </label>
        ) : null}
      </div>
      <Problem text={problem} />
      <div class="actions">
        <Button class="outlined" aria-disabled={busy} onClick={() => busy || onClose()} label={words.cancel} />
        <Button
          type="submit"
          class={final ? 'filled danger' : 'filled'}
          aria-disabled={busy || (final && typedText !== String(people))}
          label={bulk.actions[action].start}
        />
      </div>
    </form>
  )
}

function LeftOut({ leftOut }: Pick<BulkJob, 'leftOut'>) {
  const { bulk } = useWords()
  const { count } = useNumbers()
  if (leftOut.length === 0) return null
  return (
    <>
      <p>{bulk.leftOut}</p>
      <ul class="left-out">
        {leftOut.map(({ reason, people }) => (
          <li key={reason}>
            {bulk.reasons[reason]}: {count(people)}
          </li>
        ))}
      </ul>
    </>
  )
}
