import { useEffect } from 'preact/hooks'

import type { Clock } from '../../clock.ts'
import { Card } from '../card.tsx'
import { Icon, type IconName } from '../icons.tsx'
import { messages } from '../messages.ts'

interface OutcomeCard {
  readonly icon: IconName
  readonly tone: 'ok' | 'danger' | 'muted'
  readonly word: string
  readonly sentence?: string
  /** How long it stays, milliseconds: a word is read in a moment, advice is not. */
  readonly shown: number
}

const cards = {
  approved: { icon: 'check', tone: 'ok', word: messages.approved, shown: 2000 },
  denied: { icon: 'cross', tone: 'danger', word: messages.denied, shown: 2000 },
  reported: {
    icon: 'cross',
    tone: 'danger',
    word: messages.reported,
    sentence: messages.reportedSentence,
    shown: 6000,
  },
  wrongNumber: {
    icon: 'warning',
    tone: 'danger',
    word: messages.wrongNumber,
    sentence: messages.wrongNumberSentence,
    shown: 6000,
  },
  expired: { icon: 'clock', tone: 'muted', word: messages.expired, sentence: messages.expiredSentence, shown: 3000 },
  gone: { icon: 'clock', tone: 'muted', word: messages.gone, sentence: messages.goneSentence, shown: 3000 },
} as const satisfies Record<string, OutcomeCard>

export type Outcome = keyof typeof cards

interface OutcomeScreenProps {
  readonly outcome: Outcome
  readonly clock: Clock
  readonly onDone: () => void
}

/** What came of it: one word and its icon; back by itself. */
export function OutcomeScreen({ outcome, clock, onDone }: OutcomeScreenProps) {
  const { icon, tone, word, sentence, shown }: OutcomeCard = cards[outcome]
  useEffect(() => clock.after(shown, onDone), [clock, outcome])

  return (
    <Card
      title={
        <span class={`outcome ${tone}`}>
          <Icon name={icon} />
          {word}
        </span>
      }
    >
      {sentence === undefined ? null : (
        <>
          <p class="sentence centred">{sentence}</p>
          <button type="button" class="outlined wide" onClick={onDone}>
            {messages.ok}
          </button>
        </>
      )}
    </Card>
  )
}
