import { useState } from 'preact/hooks'

import { problemOf } from './problem.ts'
import { useWords } from './words/speech.tsx'

export interface Attempt {
  readonly busy: boolean
  /** The sentence about the last one, when it did not succeed. */
  readonly problem: string | undefined
  readonly complain: (problem: string | undefined) => void
  readonly run: (action: () => Promise<void>) => Promise<void>
}

/** One thing at a time that may go wrong. @param initially Whether it is on its way from the start. */
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
  return { busy, problem, complain: setProblem, run }
}
