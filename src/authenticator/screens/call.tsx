import { useState } from 'preact/hooks'

import type { Clock } from '../../ground/clock.ts'
import type { CallState } from '../../contract/phone-calls.ts'
import { printable } from '../../ground/printable.ts'
import type { Device } from '../../device/device.ts'
import type { Answer } from '../../device/requests.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import * as icons from '../../ui/icons.ts'
import { AnswerForm } from '../inbox/answer-form.tsx'
import { Card, Emblem } from '../parts/card.tsx'
import { timeOf } from '../accounts/facts.ts'
import { problemOf } from '../hooks/problem.ts'
import { TimeLeft } from '../parts/time-left.tsx'
import { outcomeOfError } from './outcome-of-error.ts'
import { useInputDelay } from '../hooks/use-input-delay.ts'
import type { Inbox, PendingCall } from '../inbox/use-inbox.ts'
import { useTop } from '../hooks/use-top.ts'
import type { Words } from '../texts/en.ts'
import { nameOfUser } from '../accounts/user-name.ts'
import { useSpeech, useWords } from '../words/speech.tsx'
import { type Outcome, OutcomeScreen } from './outcome.tsx'

interface CallScreenProps {
  readonly device: Device
  readonly clock: Clock
  readonly now: number
  readonly pending: PendingCall
  readonly inbox: Inbox
  readonly onDone: () => void
}

/** "Did you call the help desk?", on one screen like a request. It has colors and words of its own, as it signs no one in. */
export function CallScreen({ device, clock, now, pending, inbox, onDone }: CallScreenProps) {
  const words = useWords()
  const { account, call } = pending
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [state, setState] = useState<CallState>()
  const [failure, setFailure] = useState<Outcome>()
  const blocked = !useInputDelay(clock) || busy
  const serviceTime = now + account.clockOffset
  useTop()

  async function send({ decision, number, pin }: Answer) {
    if (blocked) return
    setBusy(true)
    setProblem(undefined)
    try {
      const confirms = decision === 'approve'
      const answered = await device.answerCall(account, call, { decision: confirms ? 'confirm' : 'deny', number, pin })
      setState(answered.state)
      inbox.forget(call)
    } catch (error) {
      const failed = outcomeOfError(error, pin !== undefined)
      setFailure(failed)
      if (failed) inbox.forget(call)
      else setProblem(problemOf(error, words))
    }
    setBusy(false)
  }

  if (failure) return <OutcomeScreen outcome={failure} clock={clock} onDone={onDone} />
  const isPending = busy || inbox.calls.some((each) => each.call.id === call.id)
  const ended = state ?? (isPending ? undefined : serviceTime >= call.expiresAt ? 'expired' : 'pending')
  if (ended) return <CallOutcome key="outcome" state={ended} onDone={onDone} />
  return (
    <Card
      // Nothing of it is cut off, however small the phone is.
      class="request opened call"
      title={words.callTitle}
      head={(headline) => (
        <div class="head">
          <Emblem domain={call.domain} serviceUrl={account.serviceUrl} />
          {headline}
          <TimeLeft request={call} now={serviceTime} />
          <p class="who" id="who">
            <bdi>{printable(nameOfUser(call.user))}</bdi>
            <span> · </span>
            <bdi>{printable(call.domain.name)}</bdi>
          </p>
        </div>
      )}
    >
      <div class="facts-box" id="facts">
        <p>
          <strong>{words.callWarning}</strong>
        </p>
        <p>{words.callNoSignIn}</p>
      </div>
      <AnswerForm
        {...{ account, clock, busy, blocked, problem }}
        request={call}
        labels={{ number: words.callNumber, deny: words.callDeny, approve: words.callConfirm }}
        onAnswer={(answer) => void send(answer)}
        onDeny={() => void send({ decision: 'deny' })}
      />
    </Card>
  )
}

interface CallCard {
  readonly icon: icons.IconPath
  readonly tone: 'ok' | 'danger' | 'muted'
  readonly word: keyof Words
  readonly sentence: keyof Words
}

const goneCard: CallCard = { icon: icons.clock, tone: 'muted', word: 'gone', sentence: 'callGone' }

const cards: Readonly<Record<CallState, CallCard>> = {
  confirmed: { icon: icons.check, tone: 'ok', word: 'callConfirmed', sentence: 'callConfirmedSentence' },
  denied: { icon: icons.shield, tone: 'danger', word: 'callDenied', sentence: 'callDeniedSentence' },
  reported: { icon: icons.shield, tone: 'danger', word: 'callDenied', sentence: 'callDeniedSentence' },
  wrong_number: { icon: icons.warning, tone: 'danger', word: 'wrongNumber', sentence: 'callWrongNumberSentence' },
  expired: { icon: icons.clock, tone: 'muted', word: 'expired', sentence: 'callGone' },
  // The service no longer asks.
  pending: goneCard,
}

/** Stays until the person presses OK: after a No there is something to do. */
function CallOutcome({ state, onDone }: { readonly state: CallState; readonly onDone: () => void }) {
  const words = useWords()
  const { icon, tone, word, sentence } = cards[state]
  return (
    <Card
      title={
        <span class={`outcome ${tone}`}>
          <Icon path={icon} />
          <>{words[word]}</>
        </span>
      }
    >
      <p class="sentence centered">{words[sentence] as string}</p>
      <Button class="outlined wide" onClick={onDone} label={words.ok} />
    </Card>
  )
}

/** The calls on the home screen, for a person who has more than one thing to answer. */
export function CallList({ inbox, onOpen }: { readonly inbox: Inbox; readonly onOpen: (call: PendingCall) => void }) {
  const { words, locale } = useSpeech()
  return (
    <section class="card" aria-labelledby="calls">
      <h2 id="calls">{words.callTitle}</h2>
      <ul class="list">
        {inbox.calls.map((each) => (
          <li key={each.call.id}>
            <button type="button" class="row" onClick={() => onOpen(each)}>
              <Emblem domain={each.call.domain} serviceUrl={each.account.serviceUrl} />
              <span>
                <strong>
                  <bdi>{each.call.domain.name}</bdi>
                </strong>
                <small>
                  <bdi>{nameOfUser(each.call.user)}</bdi>, {timeOf(each.call.createdAt, locale, 'medium')}
                </small>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
