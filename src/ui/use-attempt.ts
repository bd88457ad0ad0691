import { useState } from 'preact/hooks'

export interface Attempt {
  readonly busy: boolean
  /** The message of the last attempt, if it failed. */
  readonly problem: string | undefined
  /** Shows a message without running an action; undefined removes it. */
  readonly showProblem: (problem: string | undefined) => void
  readonly run: (action: () => Promise<void>) => Promise<void>
}

/**
 * Runs one action at a time, and holds its error message.
 *
 * @param describe The message for an error; undefined where something else shows it.
 * @param initially Whether an action runs from the start.
 */
export function useAttempts(describe: (error: unknown) => string | undefined, initially = false): Attempt {
  const [busy, setBusy] = useState(initially)
  const [problem, setProblem] = useState<string>()

  async function run(action: () => Promise<void>) {
    setBusy(true)
    setProblem(undefined)
    try {
      await action()
    } catch (error) {
      setProblem(describe(error))
    }
    setBusy(false)
  }
  return { busy, problem, showProblem: setProblem, run }
}
