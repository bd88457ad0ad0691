import { useEffect, useState } from 'preact/hooks'

import { requiredSecret } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { isTransient } from '../../device/device-error.ts'
import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/messages.tsx'
import { problemOf } from '../hooks/problem.ts'
import { useRepeated } from '../hooks/use-repeated.ts'
import type { Pending } from '../inbox/use-inbox.ts'
import { Card } from '../parts/card.tsx'
import { useWords } from '../words/speech.tsx'
import { type OutcomeProps, OutcomeScreen } from './outcome.tsx'
import { outcomeOf } from './outcome-of.ts'
import { outcomeOfError } from './outcome-of-error.ts'

interface EndedScreenProps extends OutcomeProps {
  readonly device: Device
  readonly pending: Pending
  /** Whether the response to an answer was lost: nothing is said until it is known. */
  readonly unsure: boolean
}

/**
 * A request that seems to have ended without an answer. It may have been answered in another tab, or the response to an answer was lost:
 * the history of the device says what the service has counted.
 */
export function EndedScreen({ device, pending, unsure, ...props }: EndedScreenProps) {
  const words = useWords()
  const { account, request } = pending
  const [outcome, setOutcome] = useState(unsure ? undefined : props.outcome)
  const [problem, setProblem] = useState<string>()

  async function read() {
    try {
      const { entries } = await device.history(account)
      const entry = entries.find(({ id }) => id === request.id)
      setOutcome(entry ? outcomeOf(entry) : props.outcome)
    } catch (error) {
      if (isTransient(error)) setProblem(problemOf(error, words))
      else setOutcome(outcomeOfError(error, unsure && requiredSecret(account) !== undefined) ?? props.outcome)
    }
  }
  useEffect(() => void read(), [])
  useRepeated(props.clock, outcome === undefined && problem !== undefined, read)

  if (outcome === undefined) {
    return (
      <Card title={words.oneMoment}>
        <Problem text={problem} />
        <Button class="outlined wide" onClick={props.onDone} label={words.ok} />
      </Card>
    )
  }
  const onReport = outcome === props.outcome ? props.onReport : undefined
  return <OutcomeScreen key={outcome} {...props} {...{ outcome, onReport }} />
}
