import type { Because } from '../../../admin-contract/because.ts'
import type { BulkAction } from '../../../admin-contract/bulk-jobs.ts'
import { Button } from '../../../ui/button.tsx'
import { Problem } from '../../../ui/messages.tsx'
import { ReasonChoice, useReason } from '../../parts/reason-choice.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useAttempt } from '../../hooks/use-attempt.ts'
import { useWords } from '../../words/speech.tsx'

interface PrepareJobProps {
  readonly action: BulkAction
  readonly domain: string
  readonly onDomain: (id: string) => void
  readonly onPrepare: (because: Because) => Promise<void>
  readonly onClose: () => void
}

/** Asks for the reason, and for the domain that people leave. */
export function PrepareJob({ action, domain, onDomain, onPrepare, onClose }: PrepareJobProps) {
  const words = useWords()
  const { domains } = useSignedIn().session
  const { busy, problem, run } = useAttempt()
  const reason = useReason()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const because = reason.require()
        if (because && !busy) void run(() => onPrepare(because))
      }}
    >
      <div class="sentence">
        <p>{words.bulk.actions[action].sentence}</p>
        {action !== 'unlock' && domains.length > 1 ? (
          <label class="field">
            <span>{words.domain}</span>
            <select value={domain} onChange={({ currentTarget }) => onDomain(currentTarget.value)}>
              {domains.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        ) : null}
        <ReasonChoice reason={reason} />
      </div>
      <Problem text={problem} />
      <div class="actions">
        <Button class="outlined" onClick={onClose} label={words.cancel} />
        <Button type="submit" class="filled" aria-disabled={busy} label={words.bulk.preview} />
      </div>
    </form>
  )
}
