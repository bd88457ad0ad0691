import { type Attempt, useAttempts } from '../../ui/use-attempt.ts'
import { problemOf } from './problem.ts'
import { useWords } from '../words/speech.tsx'

/** Runs one action at a time, and holds its error message. @param initially Whether an action runs from the start. */
export function useAttempt(initially = false): Attempt {
  const words = useWords()
  return useAttempts((error) => problemOf(error, words), initially)
}
