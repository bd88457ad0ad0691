import { useState } from 'preact/hooks'

import type { Clock } from '../../ground/clock.ts'
import { problemOf } from '../hooks/problem.ts'
import { useInputDelay } from '../hooks/use-input-delay.ts'
import type { Inbox } from '../inbox/use-inbox.ts'
import { useWords } from '../words/speech.tsx'
import type { Outcome } from './outcome.tsx'
import { outcomeOfError } from './outcome-of-error.ts'

interface Sending<T> {
  /** Whether an answer is being sent. */
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

/** Sends the answer to one call or approval, and holds what came of it. */
export function useSending<T extends object>(inbox: Inbox, asked: { readonly id: string }, clock: Clock): Sending<T> {
  const words = useWords()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [answered, setAnswered] = useState<T>()
  const [failure, setFailure] = useState<Outcome>()
  const blocked = !useInputDelay(clock) || busy

  async function send(call: () => Promise<T>, withPin: boolean): Promise<void> {
    if (blocked) return
    setBusy(true)
    setProblem(undefined)
    try {
      setAnswered(await call())
      inbox.forget(asked)
    } catch (error) {
      const outcome = outcomeOfError(error, withPin)
      setFailure(outcome)
      if (outcome) inbox.forget(asked)
      else setProblem(problemOf(error, words))
    }
    setBusy(false)
  }
  return { busy, blocked, problem, answered, failure, send }
}
