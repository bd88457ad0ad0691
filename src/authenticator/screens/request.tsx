import { useEffect, useState } from 'preact/hooks'

import type { Clock } from '../../clock.ts'
import { About, Card, Problem } from '../card.tsx'
import { factsOf } from '../facts.ts'
import { messages } from '../messages.ts'
import { TimeLeft } from '../time-left.tsx'
import type { Answer } from '../../device/requests.ts'
import type { Pending } from '../use-inbox.ts'

interface RequestScreenProps {
  readonly pending: Pending
  readonly clock: Clock
  readonly now: number
  readonly busy: boolean
  readonly problem: string | undefined
  /** How many requests there are in all. */
  readonly count: number
  readonly onAnswer: (answer: Answer) => void
  readonly onBack: () => void
}

/** The buttons are dead for a moment, so that a tap meant for what was here before decides nothing. Milliseconds. */
const settling = 400

/** One request: who, from where, with what, when; and the answer. */
export function RequestScreen({ pending, clock, now, busy, problem, count, onAnswer, onBack }: RequestScreenProps) {
  const { account, request } = pending
  const [settled, setSettled] = useState(false)
  useEffect(() => clock.after(settling, () => setSettled(true)), [clock])
  const disabled = busy || !settled

  function approve(event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) {
    event.preventDefault()
    if (disabled) return
    const number = new FormData(event.currentTarget).get('number')
    onAnswer({ decision: 'approve', ...(typeof number === 'string' && { number: number.trim() }) })
  }

  return (
    <Card
      above={
        <About domain={request.domain} serviceUrl={account.serviceUrl}>
          <strong>{request.domain.name}</strong>
          <small>{account.organization.name}</small>
        </About>
      }
      title={<Question username={request.user.username} />}
    >
      <dl class="facts">
        {factsOf(request).map(({ label, value, note }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {value}
              {note === undefined ? null : <small>{note}</small>}
            </dd>
          </div>
        ))}
      </dl>
      <form class="answer" onSubmit={approve}>
        {request.numberLength > 0 ? <NumberField length={request.numberLength} /> : null}
        <TimeLeft request={request} now={now + account.clockOffset} />
        <Problem text={problem} />
        <div class="actions">
          <button type="button" class="outlined" disabled={disabled} onClick={() => onAnswer({ decision: 'deny' })}>
            {messages.deny}
          </button>
          <button type="submit" class="filled" disabled={disabled}>
            {messages.approve}
          </button>
        </div>
      </form>
      <footer>
        <button type="button" class="link" disabled={disabled} onClick={() => onAnswer({ decision: 'report' })}>
          {messages.report}
        </button>
        <small>{messages.reportSentence}</small>
        {count > 1 ? (
          <button type="button" class="link" onClick={onBack}>
            {messages.allRequests(count)}
          </button>
        ) : null}
      </footer>
    </Card>
  )
}

function Question({ username }: { readonly username: string }) {
  return (
    <>
      {messages.signInAs} <strong>{username}</strong>?
    </>
  )
}

function NumberField({ length }: { readonly length: number }) {
  return (
    <label class="number">
      <span>{messages.numberLabel}</span>
      <input
        name="number"
        type="text"
        inputMode="numeric"
        pattern={`[0-9]{${length}}`}
        maxLength={length}
        title={messages.numberLabel}
        autocomplete="off"
        required
        ref={(field) => field?.focus({ preventScroll: true })}
      />
    </label>
  )
}
