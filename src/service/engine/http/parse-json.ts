import { ApiProblem } from '../base/problem.ts'

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The error does not quote the body.
    throw new ApiProblem('api.error.malformed', 'The body must be JSON.')
  }
}
