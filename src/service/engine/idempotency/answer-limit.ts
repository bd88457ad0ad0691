import type { Clock } from '../../../ground/clock.ts'
import { rememberedFor } from '../../../contract/idempotency-key.ts'
import { tooManyRequests } from '../base/problem.ts'

/** The answers that a process stores for one API key in ten minutes; each has about 1 kB. */
export const maxAnswers = 50_000

/** Limits the rows of one API key. Counted in this process, as its requests are, because a count in the database would cost a statement. */
export function createAnswerLimit(clock: Pick<Clock, 'now'>, max = maxAnswers) {
  let began = 0
  let counts = new Map<string, number>()

  return {
    /** @throws {ApiProblem} `api.error.toomanyrequests` when nothing is left. */
    take(apiKeyId: string): void {
      const now = clock.now()
      if (now < began || now >= began + rememberedFor) {
        began = now
        counts = new Map()
      }
      const count = (counts.get(apiKeyId) ?? 0) + 1
      if (count > max) {
        const limit = `at most ${max} with an Idempotency-Key in ${rememberedFor / 60} minutes for each API key`
        throw tooManyRequests({ limit, wait: began + rememberedFor - now, now })
      }
      counts.set(apiKeyId, count)
    },
  }
}
