import { useEffect } from 'preact/hooks'

import type { Clock } from '../../clock.ts'
import { Card } from '../card.tsx'
import { Icon, type IconName } from '../icons.tsx'
import { messages } from '../messages.ts'

const outcomes = {
  approved: { icon: 'check', tone: 'ok', word: messages.approved, sentence: '' },
  denied: { icon: 'cross', tone: 'danger', word: messages.denied, sentence: '' },
  reported: { icon: 'cross', tone: 'danger', word: messages.reported, sentence: messages.reportedSentence },
  wrongNumber: { icon: 'warning', tone: 'danger', word: messages.wrongNumber, sentence: messages.wrongNumberSentence },
  expired: { icon: 'clock', tone: 'muted', word: messages.expired, sentence: messages.expiredSentence },
  gone: { icon: 'clock', tone: 'muted', word: messages.gone, sentence: messages.goneSentence },
} as const satisfies Record<string, { icon: IconName; tone: string; word: string; sentence: string }>

export type Outcome = keyof typeof outcomes

/** Milliseconds on the screen: one word is read in a moment, a sentence is not. */
const shown = { word: 2000, sentence: 6000 }

/** What came of it: one word and its icon; back by itself. */
export function OutcomeScreen(props: {
  readonly outcome: Outcome
  readonly clock: Clock
  readonly onDone: () => void
}) {
  const { outcome, clock, onDone } = props
  const { icon, tone, word, sentence } = outcomes[outcome]
  useEffect(() => clock.after(sentence === '' ? shown.word : shown.sentence, onDone), [clock, outcome])

  return (
    <Card
      title={
        <span class={`outcome ${tone}`}>
          <Icon name={icon} />
          {word}
        </span>
      }
    >
      <p class="sentence centred">{sentence}</p>
      {sentence === '' ? null : (
        <button type="button" class="outlined wide" onClick={onDone}>
          {messages.ok}
        </button>
      )}
    </Card>
  )
}
