import type { Clock } from '../../ground/clock.ts'
import type { CallAnswered, CallDecision, CallState } from '../../contract/phone-calls.ts'
import type { Device } from '../../device/device.ts'
import type { Answer } from '../../device/requests.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import * as icons from '../../ui/icons.ts'
import { AnswerForm } from '../inbox/answer-form.tsx'
import { Card, Emblem } from '../parts/card.tsx'
import { timeOf } from '../accounts/facts.ts'
import type { Inbox, PendingCall } from '../inbox/use-inbox.ts'
import { useTop } from '../hooks/use-top.ts'
import type { Words } from '../texts/en.ts'
import { nameOfUser } from '../accounts/user-name.ts'
import { useSpeech, useWords } from '../words/speech.tsx'
import { AskedCard, AskedList } from './asked-card.tsx'
import { OutcomeScreen } from './outcome.tsx'
import { useSending } from './use-sending.ts'

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
  const isOpen = inbox.calls.some((each) => each.call.id === call.id)
  const { busy, blocked, problem, answered, failure, send } = useSending<CallAnswered>(inbox, call, { clock, isOpen })
  const serviceTime = now + account.clockOffset
  useTop()

  function answer(decision: CallDecision, { number, pin }: Partial<Answer> = {}) {
    void send(() => device.answerCall(account, call, { decision, number, pin }), pin !== undefined)
  }

  if (failure) return <OutcomeScreen outcome={failure} clock={clock} onDone={onDone} />
  const isPending = busy || isOpen
  const ended = answered?.state ?? (isPending ? undefined : serviceTime >= call.expiresAt ? 'expired' : 'pending')
  if (ended) return <CallOutcome key="outcome" state={ended} onDone={onDone} />
  return (
    <AskedCard class="call" title={words.callTitle} app={call.domain} asked={call} account={account} now={serviceTime}>
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
        onAnswer={(given) => answer('confirm', given)}
        onDeny={() => answer('deny')}
      />
    </AskedCard>
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

interface CallListProps {
  readonly inbox: Inbox
  readonly first: boolean
  readonly onOpen: (call: PendingCall) => void
}

/** The calls on the home screen, for a person who has more than one thing to answer. */
export function CallList({ inbox, first, onOpen }: CallListProps) {
  const { words, locale } = useSpeech()
  return (
    <AskedList id="calls" title={words.callTitle} first={first}>
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
    </AskedList>
  )
}
