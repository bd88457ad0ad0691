import { useState } from 'preact/hooks'

import type { ApprovalContent } from '../../contract/approval-content.ts'
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
  readonly answered: ApprovalAnswered & { readonly decision: 'approve' | 'deny' | 'report' }
  readonly onDone: () => void
}

/** What the answer did, with the title of the action. Stays until the person presses OK. */
export function ApprovalOutcome({ device, account, content, answered, onDone }: ApprovalOutcomeProps) {
  const words = useWords()
  const { icon, tone, word, sentence } = outcomeOf(answered)
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
      {sentence ? <p class="sentence centered">{words[sentence] as string}</p> : null}
      {answered.block === undefined ? null : <AllowAgain {...{ device, account, block: answered.block }} />}
      <Button class="outlined wide" onClick={onDone} label={words.ok} />
    </Card>
  )
}

interface OutcomeCard {
  readonly icon: icons.IconPath
  readonly tone: 'ok' | 'danger' | 'muted'
  readonly word: keyof Words
  readonly sentence?: keyof Words
}

function outcomeOf({ state, reason, decision }: ApprovalOutcomeProps['answered']): OutcomeCard {
  if (decision === 'report') {
    return { icon: icons.shield, tone: 'danger', word: 'approvalBlocked', sentence: 'approvalBlockedSentence' }
  }
  if (reason === 'wrong_number') {
    return { icon: icons.warning, tone: 'danger', word: 'wrongNumber', sentence: 'approvalWrongNumberSentence' }
  }
  if (state === 'expired') return { icon: icons.clock, tone: 'muted', word: 'expired' }
  if (state === 'cancelled') return { icon: icons.clock, tone: 'muted', word: 'gone', sentence: 'goneSentence' }
  if (decision === 'deny') return { icon: icons.cross, tone: 'danger', word: 'denied' }
  const approved = { icon: icons.check, tone: 'ok', word: 'approved' } as const
  if (state === 'pending') return { ...approved, sentence: 'approvalOthers' }
  return state === 'approved' ? approved : { icon: icons.clock, tone: 'muted', word: 'gone', sentence: 'goneSentence' }
}

type AllowAgainProps = Pick<ApprovalOutcomeProps, 'device' | 'account'> & { readonly block: string }

/** Lifts the block of this report, and no other one, for a person who pressed the wrong button. */
function AllowAgain({ device, account, block }: AllowAgainProps) {
  const words = useWords()
  const { busy, problem, run } = useAttempt()
  const [lifted, setLifted] = useState(false)

  async function lift() {
    await device.liftBlock(account, { id: block })
    setLifted(true)
  }
  return (
    <>
      <Problem text={problem} />
      <Button
        class="outlined wide"
        aria-disabled={busy || lifted}
        onClick={() => busy || lifted || void run(lift)}
        label={lifted ? words.approvalAllowed : words.approvalAllow}
      />
    </>
  )
}
