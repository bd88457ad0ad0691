import type { RefObject } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'

import type { ApprovalAnswered } from '../../contract/approval-answers.ts'
import { readContent } from '../../device/approvals.ts'
import type { Device } from '../../device/device.ts'
import type { Answer } from '../../device/requests.ts'
import type { Clock } from '../../ground/clock.ts'
import { printable } from '../../ground/printable.ts'
import { Button } from '../../ui/button.tsx'
import * as icons from '../../ui/icons.ts'
import { timeOf } from '../accounts/facts.ts'
import { nameOfUser } from '../accounts/user-name.ts'
import { problemOf } from '../hooks/problem.ts'
import { useInputDelay } from '../hooks/use-input-delay.ts'
import { useTop } from '../hooks/use-top.ts'
import { AnswerForm } from '../inbox/answer-form.tsx'
import type { Inbox, PendingApproval } from '../inbox/use-inbox.ts'
import { Card, Emblem } from '../parts/card.tsx'
import { TimeLeft } from '../parts/time-left.tsx'
import { useSpeech, useWords } from '../words/speech.tsx'
import { ApprovalFacts } from './approval-content.tsx'
import { ApprovalOutcome } from './approval-outcome.tsx'
import { outcomeOfError } from './outcome-of-error.ts'
import { type Outcome, OutcomeScreen } from './outcome.tsx'
import { ShownText } from './shown-text.tsx'

interface ApprovalScreenProps {
  readonly device: Device
  readonly clock: Clock
  readonly now: number
  readonly pending: PendingApproval
  readonly inbox: Inbox
  readonly onDone: () => void
}

/** "Approve this?": all of an action, and the answers. The device signs exactly what is shown, and nobody is signed in by it. */
export function ApprovalScreen({ device, clock, now, pending, inbox, onDone }: ApprovalScreenProps) {
  const words = useWords()
  const { account, approval } = pending
  const content = useMemo(() => readContent(approval), [approval.id])
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [answered, setAnswered] = useState<ApprovalAnswered & { readonly decision: Answer['decision'] }>()
  const [failure, setFailure] = useState<Outcome>()
  const end = useRef<HTMLSpanElement>(null)
  const seen = useSeen(end)
  const blocked = !useInputDelay(clock) || busy
  const serviceTime = now + account.clockOffset
  useTop()

  async function send({ decision, number, pin }: Answer) {
    if (blocked || (decision === 'approve' && !(content && seen))) return
    setBusy(true)
    setProblem(undefined)
    try {
      setAnswered({ ...(await device.answerApproval(account, approval, { decision, number, pin })), decision })
      inbox.forget(approval)
    } catch (error) {
      const failed = outcomeOfError(error, pin !== undefined)
      setFailure(failed)
      if (failed) inbox.forget(approval)
      else setProblem(problemOf(error, words))
    }
    setBusy(false)
  }

  if (failure) return <OutcomeScreen outcome={failure} clock={clock} onDone={onDone} />
  if (answered) return <ApprovalOutcome key="outcome" {...{ device, account, content, answered, onDone }} />
  const isPending = busy || inbox.approvals.some((each) => each.approval.id === approval.id)
  if (!isPending) {
    const outcome = serviceTime >= approval.expiresAt ? 'expired' : 'gone'
    return <OutcomeScreen key="outcome" outcome={outcome} clock={clock} onDone={onDone} />
  }
  const app = content?.app ?? approval.domain
  return (
    <Card
      // Nothing of it is cut off, however small the phone is.
      class="request opened approval"
      title={words.approvalTitle}
      head={(headline) => (
        <div class="head">
          <Emblem domain={app} serviceUrl={account.serviceUrl} />
          {headline}
          <TimeLeft request={approval} now={serviceTime} />
          <p class="who" id="who">
            <bdi>{printable(nameOfUser(approval.user))}</bdi>
            <span> · </span>
            <bdi>{printable(app.name)}</bdi>
          </p>
        </div>
      )}
    >
      {content ? (
        <ApprovalFacts {...{ content, end }} />
      ) : (
        <div class="facts-box" id="facts">
          <p>{words.approvalUnknown}</p>
        </div>
      )}
      <AnswerForm
        {...{ account, clock, busy, blocked, problem }}
        request={content ? approval : { ...approval, numberLength: 0 }}
        labels={{ number: words.approvalNumber, deny: words.deny, approve: words.approve }}
        hold={content ? (seen ? undefined : words.approvalScroll) : words.approvalUnknown}
        onAnswer={(answer) => void send(answer)}
        onDeny={() => void send({ decision: 'deny' })}
      />
      <Button
        class="report"
        icon={icons.shield}
        aria-disabled={blocked}
        onClick={() => void send({ decision: 'report' })}
        label={words.approvalReport}
      />
      <Button class="link later" onClick={onDone} label={words.later} />
    </Card>
  )
}

/** Whether an element was on the screen. It stays true. */
function useSeen(element: RefObject<Element | null>): boolean {
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    if (!element.current) return undefined
    // What the buttons at the bottom cover was not seen.
    const observer = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && setSeen(true), {
      rootMargin: '0px 0px -64px 0px',
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return seen
}

interface ApprovalListProps {
  readonly inbox: Inbox
  readonly onOpen: (approval: PendingApproval) => void
}

/** The approvals on the home screen, for a person who has more than one thing to answer. */
export function ApprovalList({ inbox, onOpen }: ApprovalListProps) {
  const { words, locale } = useSpeech()
  return (
    <section class="card" aria-labelledby="approvals">
      <h2 id="approvals">{words.approvalTitle}</h2>
      <ul class="list">
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
      </ul>
    </section>
  )
}
