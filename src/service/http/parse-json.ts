import { ApiProblem } from '../ground/problem.ts'

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // What is wrong with it is told without quoting it.
    throw new ApiProblem('api.error.malformed', 'The body has to be JSON.')
  }
}
