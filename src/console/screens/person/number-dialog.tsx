import type { CallerVerification } from '../../../admin-contract/caller-verifications.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Dialog } from '../../parts/confirm.tsx'
import { useWords } from '../../words/speech.tsx'
import type { Outcome } from './caller-outcome.ts'
import { useTimeLeft } from './use-time-left.ts'

interface NumberDialogProps {
  readonly question: CallerVerification
  readonly outcome: Outcome
  /** Unix time, seconds. */
  readonly now: number
  readonly onClose: () => void
}

/** The number to read out, and in its place the outcome as soon as it is there. */
export function NumberDialog({ question, outcome, now, onClose }: NumberDialogProps) {
  const words = useWords()
  const timeLeft = useTimeLeft()
  const { title, sentence, icon, tone } = outcome
  const waits = question.state === 'pending'
  return (
    <Dialog title={waits ? words.caller.readOut : title} onClose={onClose}>
      {(close) => (
        <>
          <div class={`caller-outcome ${tone}`}>
            {waits ? (
              <p class="big-code number" dir="ltr">
                {question.number}
              </p>
            ) : (
              <Icon path={icon} />
            )}
            <p class="sentence">{sentence}</p>
          </div>
          {/* The outcome is the title already; screen readers announce it here. */}
          <p class={waits ? 'sentence' : 'unseen'} role="status">
            {waits ? words.caller.waiting : title}
          </p>
          {waits ? (
            <p class="sentence" role="timer">
              {words.caller.left(timeLeft(question.expiresAt - now))}
            </p>
          ) : null}
          <div class="actions">
            <Button class={waits ? 'outlined' : 'filled'} onClick={close} label={waits ? words.cancel : words.done} />
          </div>
        </>
      )}
    </Dialog>
  )
}
