import type { HistoryEntry } from '../../contract/device.ts'
import type { KeptAccount } from '../accounts-store.ts'
import type { Device } from '../../device/device.ts'
import { Card, Problem, Status } from '../card.tsx'
import { originOf, timeOf } from '../facts.ts'
import { Icon } from '../icons.tsx'
import { nameOf } from '../use-accounts.ts'
import { type Remembered, useHistory } from '../use-history.ts'
import { useSpeech } from '../words/speech.tsx'

interface HistoryScreenProps {
  readonly device: Device
  readonly accounts: readonly KeptAccount[]
  readonly onBack: () => void
}

/** What was answered on this device, day by day. */
export function HistoryScreen({ device, accounts, onBack }: HistoryScreenProps) {
  const { words, locale } = useSpeech()
  const { answers, troubled, older } = useHistory(device, accounts)
  return (
    <Card title={words.history} onBack={onBack}>
      {answers === undefined ? <Status icon="history">{words.oneMoment}</Status> : null}
      {answers?.length === 0 && !troubled ? <Status icon="history">{words.historyEmpty}</Status> : null}
      {daysOf(answers ?? [], locale).map(({ day, answers: ofDay }) => (
        <section key={day} class="part">
          <h2>{day}</h2>
          <ul class="list">
            {ofDay.map((each) => (
              <li key={each.entry.id}>
                <Answered remembered={each} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {troubled ? <Problem text={words.historyFailed} /> : null}
      {older ? (
        <button type="button" class="outlined wide" onClick={() => void older()}>
          {words.older}
        </button>
      ) : null}
      {answers?.length ? <p class="sentence part">{words.historyHint}</p> : null}
    </Card>
  )
}

function Answered({ remembered: { account, entry } }: { readonly remembered: Remembered }) {
  const { words, locale } = useSpeech()
  const approved = entry.state === 'approved'
  const origin = originOf(entry)
  return (
    <div class="row">
      <span class={approved ? 'mark ok' : 'mark danger'}>
        <Icon name={approved ? 'check' : 'cross'} />
      </span>
      <span>
        <strong>{words[wordOf(entry)]}</strong>
        <small>
          <bdi>{words.at(nameOf(account), entry.user.username)}</bdi>
        </small>
        {entry.purpose === 'change_devices' ? <small>{words.changeOfDevices}</small> : null}
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

function wordOf({ state, reason }: HistoryEntry): 'approved' | 'denied' | 'reported' | 'wrongNumber' {
  if (state === 'approved') return 'approved'
  if (reason === 'wrong_number') return 'wrongNumber'
  return reason === 'reported' ? 'reported' : 'denied'
}

interface Day {
  readonly day: string
  readonly answers: readonly Remembered[]
}

/** They come newest first: a day ends where another one begins. */
function daysOf(answers: readonly Remembered[], locale: string): readonly Day[] {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'full' })
  const days = new Map<string, Remembered[]>()
  for (const answer of answers) {
    const day = format.format(answer.entry.settledAt * 1000)
    days.set(day, [...(days.get(day) ?? []), answer])
  }
  return [...days].map(([day, ofDay]) => ({ day, answers: ofDay }))
}
