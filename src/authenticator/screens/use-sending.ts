import { useState } from 'preact/hooks'

import type { Clock } from '../../ground/clock.ts'
import { isTransient } from '../../device/device-error.ts'
import { problemOf } from '../hooks/problem.ts'
import { useInputDelay } from '../hooks/use-input-delay.ts'
import { useRepeated } from '../hooks/use-repeated.ts'
import type { Inbox } from '../inbox/use-inbox.ts'
import { useWords } from '../words/speech.tsx'
import type { Outcome } from './outcome.tsx'
import { outcomeOfError } from './outcome-of-error.ts'

interface Sending<T> {
  /** Whether an answer is being sent, or the service has yet to say whether it has counted one. */
  readonly busy: boolean
  /** Whether presses are ignored: while an answer is being sent, and at first. */
  readonly blocked: boolean
  /** Why the last answer failed, if the person can try again. */
  readonly problem: string | undefined
  /** What the service answered. */
  readonly answered: T | undefined
  /** How it ended without an answer of the service. */
  readonly failure: Outcome | undefined
  /** Sends an answer, unless presses are ignored. Then the inbox forgets what was answered. */
  readonly send: (call: () => Promise<T>, withPin: boolean) => Promise<void>
}

/** An answer whose response was lost: the service may have counted it. */
interface Lost<T> {
  readonly call: () => Promise<T>
  readonly withPin: boolean
}

/**
 * Sends the answer to one call or approval, and holds what came of it. Once nothing waits for an answer any more, it repeats those whose
 * responses were lost: to one that it has counted, the service gives the same response.
 *
 * @param isOpen Whether the service still waits for an answer.
 */
export function useSending<T extends object>(
  inbox: Inbox,
  asked: { readonly id: string },
  { clock, isOpen }: { readonly clock: Clock; readonly isOpen: boolean },
): Sending<T> {
  const words = useWords()
  const [sending, setSending] = useState(false)
  const [lost, setLost] = useState<readonly Lost<T>[]>([])
  const [problem, setProblem] = useState<string>()
  const [answered, setAnswered] = useState<T>()
  const [failure, setFailure] = useState<Outcome>()
  const unsure = !isOpen && !sending && lost.length > 0
  const busy = sending || unsure
  const blocked = !useInputDelay(clock) || busy

  useRepeated(clock, unsure, async () => {
    // The oldest first: a different answer after one that has counted gets nothing.
    for (const { call, withPin } of lost) {
      try {
        setAnswered(await call())
        break
      } catch (error) {
        if (isTransient(error)) throw error
        const outcome = outcomeOfError(error, withPin)
        if (outcome !== 'gone') setFailure(outcome)
      }
    }
    setLost([])
  })

  async function send(call: () => Promise<T>, withPin: boolean): Promise<void> {
    if (blocked) return
    setSending(true)
    setProblem(undefined)
    try {
      setAnswered(await call())
      inbox.forget(asked)
    } catch (error) {
      const outcome = outcomeOfError(error, withPin)
      if (outcome !== 'gone' || lost.length === 0) setFailure(outcome)
      if (outcome) inbox.forget(asked)
      else setProblem(problemOf(error, words))
      if (isTransient(error)) setLost((before) => [...before, { call, withPin }])
    }
    setSending(false)
  }
  return { busy, blocked, problem, answered, failure, send }
}
