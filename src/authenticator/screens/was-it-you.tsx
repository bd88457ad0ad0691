import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

import type { Clock } from '../../ground/clock.ts'
import type { Answer } from '../../device/requests.ts'
import { Button } from '../../ui/button.tsx'
import * as icons from '../../ui/icons.ts'
import { Problem } from '../../ui/messages.tsx'
import { Card } from '../parts/card.tsx'
import { useInputDelay } from '../hooks/use-input-delay.ts'
import { useTop } from '../hooks/use-top.ts'
import { useWords } from '../words/speech.tsx'

interface WasItYouScreenProps {
  readonly clock: Clock
  /** The time until the request expires, seconds. */
  readonly secondsLeft: number
  readonly busy: boolean
  readonly problem: string | undefined
  readonly onAnswer: (answer: Answer) => void
}

/** How long before the request expires it is denied, seconds: the service then records a denial, and not a request without an answer. */
const lastMoment = 5

/**
 * Asks after "Deny" whether to report the request as well, because the service accepts only one answer. The choice is
 * optional: a person who leaves this screen has denied.
 */
export function WasItYouScreen({ clock, secondsLeft, busy, problem, onAnswer }: WasItYouScreenProps) {
  const words = useWords()
  const blocked = !useInputDelay(clock) || busy
  useTop()
  const deny = useRef(() => {})
  deny.current = () => onAnswer({ decision: 'deny' })

  // Before the screen is drawn: a person who leaves at once has denied, too.
  useLayoutEffect(() => {
    const hide = () => {
      if (document.hidden) deny.current()
    }
    hide()
    document.addEventListener('visibilitychange', hide)
    return () => document.removeEventListener('visibilitychange', hide)
  }, [])
  const ending = secondsLeft <= lastMoment
  useEffect(() => {
    if (ending) deny.current()
  }, [ending])

  return (
    <Card title={words.wasItYou}>
      <p class="sentence">{words.wasItYouSentence}</p>
      <div class="stacked">
        <Button
          class="outlined"
          aria-disabled={blocked}
          onClick={() => blocked || deny.current()}
          label={words.yesMistake}
        />
        <Button
          class="outlined danger with-icon"
          icon={icons.shield}
          aria-disabled={blocked}
          onClick={() => blocked || onAnswer({ decision: 'report' })}
          label={words.noReport}
        />
      </div>
      <Problem text={problem} />
    </Card>
  )
}
