import type { StoredAccount } from '../accounts/accounts-store.ts'
import type { Device } from '../../device/device.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import * as icons from '../../ui/icons.ts'
import { Problem, Status } from '../../ui/messages.tsx'
import { Card } from '../parts/card.tsx'
import { originOf, timeOf } from '../accounts/facts.ts'
import { Subject } from '../inbox/request-facts.tsx'
import { nameOf } from '../accounts/use-accounts.ts'
import { type AccountAnswer, useHistory } from '../inbox/use-history.ts'
import { nameOfUser } from '../accounts/user-name.ts'
import { ShownText } from './shown-text.tsx'
import { useSpeech } from '../words/speech.tsx'

interface HistoryScreenProps {
  readonly device: Device
  readonly accounts: readonly StoredAccount[]
  readonly onBack: () => void
}

/** The answers that were given on this device, by day. */
export function HistoryScreen({ device, accounts, onBack }: HistoryScreenProps) {
  const { words, locale } = useSpeech()
  const { answers, failed, loadOlder } = useHistory(device, accounts)
  return (
    <Card title={words.history} onBack={onBack}>
      {answers === undefined ? <Status icon={icons.history}>{words.oneMoment}</Status> : null}
      {answers?.length === 0 && !failed ? <Status icon={icons.history}>{words.historyEmpty}</Status> : null}
      {daysOf(answers ?? [], locale).map(({ day, answers: ofDay }) => (
        <section key={day} class="part">
          <h2>{day}</h2>
          <ul class="list">
            {ofDay.map((each) => (
              <li key={each.entry.id}>
                <Answered answer={each} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {failed ? <Problem text={words.historyFailed} /> : null}
      {loadOlder ? <Button class="outlined wide" onClick={() => void loadOlder()} label={words.older} /> : null}
      {answers?.length ? <p class="sentence part">{words.historyHint}</p> : null}
    </Card>
  )
}

function Answered({ answer: { account, entry } }: { readonly answer: AccountAnswer }) {
  const { words, locale } = useSpeech()
  const approved = entry.state === 'approved'
  const origin = originOf(entry)
  return (
    <div class="row">
      <span class={approved ? 'mark ok' : 'mark danger'}>
        <Icon path={approved ? icons.check : icons.cross} />
      </span>
      <span>
        <strong>{words[wordOf(entry)]}</strong>
        <small>
          <bdi>{words.at(nameOfUser(entry.user), nameOf(account))}</bdi>
        </small>
        {entry.approval ? (
          <small>
            <ShownText text={entry.approval.title} />
          </small>
        ) : entry.call ? (
          <small>{words.callTitle}</small>
        ) : (
          <Subject request={entry} />
        )}
        {origin === '' ? null : (
          <small>
            <bdi>{origin}</bdi>
          </small>
        )}
      </span>
      <small>{timeOf(entry.settledAt, locale)}</small>
    </div>
  )
}

type HistoryWord = 'approved' | 'denied' | 'reported' | 'wrongNumber' | 'callConfirmed' | 'callDeny'

function wordOf({ state, reason, call }: AccountAnswer['entry']): HistoryWord {
  if (call) return call === 'confirmed' ? 'callConfirmed' : call === 'wrong_number' ? 'wrongNumber' : 'callDeny'
  if (state === 'approved') return 'approved'
  if (reason === 'wrong_number') return 'wrongNumber'
  return reason === 'reported' ? 'reported' : 'denied'
}

interface Day {
  readonly day: string
  readonly answers: readonly AccountAnswer[]
}

/** Groups answers, newest first, by day. */
function daysOf(answers: readonly AccountAnswer[], locale: string): readonly Day[] {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'full' })
  const days = new Map<string, AccountAnswer[]>()
  for (const answer of answers) {
    const day = format.format(answer.entry.settledAt * 1000)
    days.set(day, [...(days.get(day) ?? []), answer])
  }
  return [...days].map(([day, ofDay]) => ({ day, answers: ofDay }))
}
