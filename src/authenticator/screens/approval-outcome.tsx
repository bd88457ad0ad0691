import { useState } from 'preact/hooks'

import type { ApprovalContent } from '../../contract/approval-content.ts'
import type { ApprovalDecision } from '../../contract/approval-facts.ts'
import type { ApprovalAnswered } from '../../contract/approval-answers.ts'
import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import * as icons from '../../ui/icons.ts'
import { Problem } from '../../ui/messages.tsx'
import { useAttempt } from '../hooks/use-attempt.ts'
import { Card } from '../parts/card.tsx'
import type { Words } from '../texts/en.ts'
import { useWords } from '../words/speech.tsx'
import { ShownText } from './shown-text.tsx'

interface ApprovalOutcomeProps {
  readonly device: Device
  readonly account: Account
  readonly content: ApprovalContent | undefined
  /** How it ended; without a decision, the person had not answered. */
  readonly ended: Pick<ApprovalAnswered, 'state' | 'reason' | 'block'> & { readonly decision?: ApprovalDecision }
  readonly onDone: () => void
}

/** How an action ended, with its title. Stays until the person presses OK. */
export function ApprovalOutcome({ device, account, content, ended, onDone }: ApprovalOutcomeProps) {
  const words = useWords()
  const { busy, problem, run } = useAttempt()
  /** Whether the person has allowed the requester again after the report. */
  const [lifted, setLifted] = useState(false)
  const reported = ended.decision === 'report'
  const { icon, tone, word, sentence } = lifted ? { ...denied, sentence: 'approvalAllowed' as const } : outcomeOf(ended)

  /** Lifts the block of this report, and no other one, for a person who pressed the wrong button. */
  async function lift(block: string) {
    await device.liftBlock(account, { id: block })
    setLifted(true)
  }
  return (
    <Card
      title={
        <span class={`outcome ${tone}`}>
          <Icon path={icon} />
          <>{words[word] as string}</>
        </span>
      }
    >
      {content ? (
        <p class="centered action">
          <ShownText text={content.title} />
        </p>
      ) : null}
      {sentence ? (
        <p class="sentence centered" role="status">
          {words[sentence] as string}
        </p>
      ) : null}
      {reported && content?.requester.kind === 'self' ? (
        <p class="sentence centered">{words.approvalSignedOut}</p>
      ) : null}
      <div class="stacked">
        <Button class="outlined" onClick={onDone} label={words.ok} />
        {ended.block !== undefined && !lifted ? (
          <Button
            class="link"
            aria-disabled={busy}
            onClick={() => busy || void run(() => lift(ended.block ?? ''))}
            label={words.approvalAllow}
          />
        ) : null}
      </div>
      <Problem text={problem} />
    </Card>
  )
}

interface OutcomeCard {
  readonly icon: icons.IconPath
  readonly tone: 'ok' | 'danger' | 'muted'
  readonly word: keyof Words
  readonly sentence?: keyof Words
}

const denied: OutcomeCard = { icon: icons.cross, tone: 'danger', word: 'denied' }

function outcomeOf({ state, reason, decision }: ApprovalOutcomeProps['ended']): OutcomeCard {
  if (decision === 'report') {
    return { icon: icons.shield, tone: 'danger', word: 'approvalBlocked', sentence: 'approvalBlockedSentence' }
  }
  if (reason === 'wrong_number') {
    return { icon: icons.warning, tone: 'danger', word: 'wrongNumber', sentence: 'approvalNothing' }
  }
  if (state === 'expired') return { icon: icons.clock, tone: 'muted', word: 'expired', sentence: 'approvalNothing' }
  if (state === 'cancelled') return { icon: icons.clock, tone: 'muted', word: 'gone', sentence: 'goneSentence' }
  if (decision === 'deny') return denied
  const approved = { icon: icons.check, tone: 'ok', word: 'approved' } as const
  if (state === 'pending') return { ...approved, sentence: 'approvalOthers' }
  return state === 'approved' ? approved : { icon: icons.clock, tone: 'muted', word: 'gone', sentence: 'goneSentence' }
}
