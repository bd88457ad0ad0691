import { type Attempt, useAttempts } from '../../ui/use-attempt.ts'
import { useProblem } from './problem.ts'

/** Runs one action at a time, and holds its error message. @param initially Whether an action runs from the start. */
export const useAttempt = (initially = false): Attempt => useAttempts(useProblem(), initially)
