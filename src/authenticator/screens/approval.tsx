import type { RefObject } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'

import type { ApprovalAnswered } from '../../contract/approval-answers.ts'
import { readContent } from '../../device/approvals.ts'
import type { Device } from '../../device/device.ts'
import type { Answer } from '../../device/requests.ts'
import type { Clock } from '../../ground/clock.ts'
import { Button } from '../../ui/button.tsx'
import * as icons from '../../ui/icons.ts'
import { timeOf } from '../accounts/facts.ts'
import { nameOfUser } from '../accounts/user-name.ts'
import { useTop } from '../hooks/use-top.ts'
import { AnswerForm } from '../inbox/answer-form.tsx'
import type { Inbox, PendingApproval } from '../inbox/use-inbox.ts'
import { Emblem } from '../parts/card.tsx'
import { useSpeech, useWords } from '../words/speech.tsx'
import { ApprovalFacts } from './approval-content.tsx'
import { ApprovalOutcome } from './approval-outcome.tsx'
import { AskedCard, AskedList } from './asked-card.tsx'
import { OutcomeScreen } from './outcome.tsx'
import { ShownText } from './shown-text.tsx'
import { useSending } from './use-sending.ts'

interface ApprovalScreenProps {
  readonly device: Device
  readonly clock: Clock
  readonly now: number
  readonly pending: PendingApproval
  readonly inbox: Inbox
  readonly onDone: () => void
}

type Answered = Pick<ApprovalAnswered, 'state' | 'reason'> & { readonly decision: Answer['decision'] }

/** "Approve this?": all of an action, and the answers. The device signs exactly what is shown, and nobody is signed in by it. */
export function ApprovalScreen({ device, clock, now, pending, inbox, onDone }: ApprovalScreenProps) {
  const words = useWords()
  const { account, approval } = pending
  const content = useMemo(() => readContent(approval), [approval.id])
  const isOpen = inbox.approvals.some((each) => each.approval.id === approval.id)
  const { busy, blocked, problem, answered, failure, send } = useSending<Answered>(inbox, approval, { clock, isOpen })
  const end = useRef<HTMLSpanElement>(null)
  const seen = useSeen(end)
  const serviceTime = now + account.clockOffset
  useTop()

  function answer({ decision, number, pin }: Answer) {
    if (decision === 'approve' && !(content && seen)) return
    const call = async () => ({
      ...(await device.answerApproval(account, approval, { decision, number, pin })),
      decision,
    })
    void send(call, pin !== undefined)
  }

  if (failure) return <OutcomeScreen outcome={failure} clock={clock} onDone={onDone} />
  const isPending = busy || isOpen
  const isExpired = serviceTime >= approval.expiresAt
  const ended = answered ?? (isPending ? undefined : ({ state: isExpired ? 'expired' : 'cancelled' } as const))
  if (ended) return <ApprovalOutcome key="outcome" {...{ device, account, content, ended, onDone }} />
  const hold = content && seen ? undefined : seen === false ? words.approvalScroll : ''
  return (
    <AskedCard
      class="approval"
      title={words.approvalTitle}
      app={content?.app ?? approval.domain}
      asked={approval}
      account={account}
      now={serviceTime}
    >
      {content ? (
        <ApprovalFacts {...{ content, end }} />
      ) : (
        <div class="facts-box" id="facts">
          <p>{words.approvalUnknown}</p>
        </div>
      )}
      <AnswerForm
        {...{ account, clock, busy, blocked, problem, hold }}
        request={content ? approval : { ...approval, numberLength: 0 }}
        labels={{ number: words.approvalNumber, deny: words.deny, approve: words.approve }}
        onAnswer={answer}
        onDeny={() => answer({ decision: 'deny' })}
      />
      <Button
        class="report"
        icon={icons.shield}
        aria-disabled={blocked}
        onClick={() => answer({ decision: 'report' })}
        label={content?.requester.kind === 'user' ? words.approvalReportUser : words.approvalReport}
      />
      <Button class="link later" onClick={onDone} label={words.later} />
    </AskedCard>
  )
}

/** Whether the end of the content was on the screen, above the buttons. Undefined until that is known; true stays true. */
function useSeen(end: RefObject<Element | null>): boolean | undefined {
  const [seen, setSeen] = useState<boolean>()
  useEffect(() => {
    if (seen || !end.current) return undefined
    // What the buttons cover was not seen. The hint to scroll makes them higher, so they are measured again with it.
    const covered = end.current.closest('.card')?.querySelector('.actions')?.clientHeight ?? 0
    const observer = new IntersectionObserver(
      (entries) => setSeen((before) => before || entries.some((one) => one.isIntersecting)),
      { rootMargin: `0px 0px -${covered}px 0px` },
    )
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [seen])
  return seen
}

interface ApprovalListProps {
  readonly inbox: Inbox
  readonly first: boolean
  readonly onOpen: (approval: PendingApproval) => void
}

/** The approvals on the home screen, for a person who has more than one thing to answer. */
export function ApprovalList({ inbox, first, onOpen }: ApprovalListProps) {
  const { words, locale } = useSpeech()
  return (
    <AskedList id="approvals" title={words.approvalTitle} first={first}>
      {inbox.approvals.map((each) => (
        <li key={each.approval.id}>
          <button type="button" class="row" onClick={() => onOpen(each)}>
            <Emblem domain={each.approval.domain} serviceUrl={each.account.serviceUrl} />
            <span>
              <strong>
                <ShownText text={readContent(each.approval)?.title ?? each.approval.domain.name} />
              </strong>
              <small>
                <bdi>{words.at(nameOfUser(each.approval.user), each.approval.domain.name)}</bdi>
                {`, ${timeOf(each.approval.createdAt, locale, 'medium')}`}
              </small>
            </span>
          </button>
        </li>
      ))}
    </AskedList>
  )
}
