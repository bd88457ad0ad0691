import { useState } from 'preact/hooks'

import { problemOf } from './problem.ts'
import { useWords } from './words/speech.tsx'

export interface Attempt {
  readonly busy: boolean
  /** The message of the last attempt, if it failed. */
  readonly problem: string | undefined
  /** Shows a message without running an action; undefined removes it. */
  readonly showProblem: (problem: string | undefined) => void
  readonly run: (action: () => Promise<void>) => Promise<void>
}

/** Runs one action at a time, and holds its error message. @param initially Whether an action runs from the start. */
export function useAttempt(initially = false): Attempt {
  const words = useWords()
  const [busy, setBusy] = useState(initially)
  const [problem, setProblem] = useState<string>()

  async function run(action: () => Promise<void>) {
    setBusy(true)
    setProblem(undefined)
    try {
      await action()
    } catch (error) {
      setProblem(problemOf(error, words))
    }
    setBusy(false)
  }
  return { busy, problem, showProblem: setProblem, run }
}
