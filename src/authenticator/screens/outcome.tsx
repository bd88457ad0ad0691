import { useEffect } from 'preact/hooks'

import * as icons from '../../ui/icons.ts'
import type { Clock } from '../../ground/clock.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Card } from '../parts/card.tsx'
import { type Speech, useSpeech } from '../words/speech.tsx'
import type { Words } from '../texts/en.ts'

interface OutcomeCard {
  readonly icon: icons.IconPath
  readonly tone: 'ok' | 'danger' | 'muted'
  readonly word: keyof Words
  readonly sentence?: keyof Words
  /** How long it stays, milliseconds: advice takes longer to read. Without it, until the person presses OK. */
  readonly duration?: number
}

const cards = {
  approved: { icon: icons.check, tone: 'ok', word: 'approved', duration: 2000 },
  denied: { icon: icons.cross, tone: 'danger', word: 'denied', duration: 2000 },
  reported: { icon: icons.shield, tone: 'danger', word: 'blocked', sentence: 'reportedSentence' },
  wrongNumber: {
    icon: icons.warning,
    tone: 'danger',
    word: 'wrongNumber',
    sentence: 'wrongNumberSentence',
    duration: 6000,
  },
  expired: { icon: icons.clock, tone: 'muted', word: 'expired', sentence: 'expiredSentence', duration: 3000 },
  gone: { icon: icons.clock, tone: 'muted', word: 'gone', sentence: 'goneSentence', duration: 3000 },
  locked: { icon: icons.warning, tone: 'danger', word: 'locked', sentence: 'lockedSentence' },
  removed: { icon: icons.warning, tone: 'danger', word: 'locked', sentence: 'removed' },
  moved: { icon: icons.phone, tone: 'muted', word: 'moved', sentence: 'movedAway' },
} as const satisfies Record<string, OutcomeCard>

export type Outcome = keyof typeof cards

/** Whether an outcome leads back to the home screen without a press. */
export function closesItself(outcome: Outcome): boolean {
  const { duration }: OutcomeCard = cards[outcome]
  return duration !== undefined
}

export interface OutcomeProps {
  readonly outcome: Outcome
  readonly report?: Report | undefined
  readonly clock: Clock
  /** Whether something else waits for the person. */
  readonly waits?: boolean
  /** Reports the request although it has ended. */
  readonly onReport?: (() => void) | undefined
  readonly onDone: () => void
}

/** The outcome of a request: a word and its icon. Closes automatically, but not while a report is possible and nothing else waits. */
export function OutcomeScreen({ outcome, report, clock, waits = false, onReport, onDone }: OutcomeProps) {
  const speech = useSpeech()
  const { words } = speech
  const { icon, tone, word, sentence, duration }: OutcomeCard = cards[outcome]
  // A report of a request that had ended, beside which none was open.
  const title = report?.blocked === 0 ? words.reported : words[word]
  const stays = duration === undefined || (onReport !== undefined && !waits)
  useEffect(() => (stays ? undefined : clock.after(duration, onDone)), [clock, outcome, stays])

  return (
    <Card
      title={
        <span class={`outcome ${tone}`}>
          <Icon path={icon} />
          <>{title}</>
        </span>
      }
    >
      {sentence === undefined ? null : (
        <>
          {report ? <p class="sentence centered">{doneBy(report, speech)}</p> : null}
          <p class="sentence centered">{words[sentence] as string}</p>
          <Button class="outlined wide" onClick={onDone} label={words.ok} />
          {onReport ? <Button class="report wide" icon={icons.shield} onClick={onReport} label={words.report} /> : null}
        </>
      )}
    </Card>
  )
}

/** The effect of the report. */
function doneBy({ blocked, pausedFor }: Report, { words, locale }: Speech): string {
  const minutes = new Intl.NumberFormat(locale, { style: 'unit', unit: 'minute', unitDisplay: 'long' })
  return [
    ...(blocked > 0 ? [words.requestsBlocked(blocked)] : []),
    ...(pausedFor === undefined ? [] : [words.requestsPaused(minutes.format(pausedFor / 60))]),
  ].join(' ')
}

/** The effects of a report, as far as the service tells them. */
export interface Report {
  /** How many requests it has denied. */
  readonly blocked: number
  /** How long new ones are paused, seconds. */
  readonly pausedFor: number | undefined
}
