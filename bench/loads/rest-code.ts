/** A code check at the service: `POST /domains/{domainId}/sessions` with `otp`. */
import { createClient } from '../../src/client/client.ts'
import type { ServiceGiven } from '../contenders/prepare.ts'
import { createMovedClock } from '../measuring/moved-clock.ts'
import type { Load } from '../measuring/load.ts'
import { createRestCaller } from './rest-caller.ts'
import { addCodeUsers, codeOf, wrongCodeOf } from './second-steps.ts'

const size = 240

/** The service, and what is sent to it. */
export interface RestCodeGiven extends ServiceGiven {
  /** Whether the codes that are measured are wrong. Between two of them, each user enters a correct one, which is not measured. */
  readonly wrong?: boolean
}

export async function createLoad({ url, apiKey, domainId, wrong = false }: RestCodeGiven): Promise<Load> {
  const clock = createMovedClock()
  const prefix = wrong ? 'wrong-codes' : 'codes'
  const client = createClient({ baseUrl: `${url}/api`, apiKey })
  const seeds = await addCodeUsers({ client, domainId }, size, prefix)
  const { http, post } = createRestCaller(url, apiKey)
  const path = `/domains/${domainId}/sessions`
  const moveClock = async () => {
    const { text } = await http.send({ method: 'POST', path: '/bench/clock' })
    clock.move(Number(text) - clock.now())
  }
  const enter = async (index: number, otp: string) => {
    const { state } = await post<{ state: string }>(path, { user: { username: `${prefix}-${index}` }, otp })
    return state === 'approved'
  }
  const pass = (index: number) => enter(index, codeOf(seeds[index] ?? '', clock.now()))
  const [, replayed] = [await pass(0), await pass(0)]
  return {
    size,
    facts: { replayed },
    async nextPass() {
      await moveClock()
      // Ten wrong codes in a row would lock the user's codes.
      if (wrong) for (const index of seeds.keys()) await pass(index)
    },
    async unit(index) {
      const otp = wrong ? wrongCodeOf(seeds[index] ?? '', clock.now()) : codeOf(seeds[index] ?? '', clock.now())
      if ((await enter(index, otp)) === wrong) throw new Error('the code was answered like the opposite one')
    },
  }
}
