/** A code check at the service: `POST /domains/{domainId}/sessions` with `otp`. */
import { createClient } from '../../src/client/client.ts'
import type { ServiceGiven } from '../contenders/prepare.ts'
import { createMovedClock } from '../measuring/moved-clock.ts'
import type { Load } from '../measuring/load.ts'
import { createRestCaller } from './rest-caller.ts'
import { addCodeUsers, codeOf } from './second-steps.ts'

const size = 240

export async function createLoad({ url, apiKey, domainId }: ServiceGiven): Promise<Load> {
  const clock = createMovedClock()
  const seeds = await addCodeUsers({ client: createClient({ baseUrl: `${url}/api`, apiKey }), domainId }, size)
  const { http, post } = createRestCaller(url, apiKey)
  const nextPass = async () => {
    const { text } = await http.send({ method: 'POST', path: '/bench/clock' })
    clock.move(Number(text) - clock.now())
  }
  const path = `/domains/${domainId}/sessions`
  const pass = async (index: number) => {
    const otp = codeOf(seeds[index] ?? '', clock.now())
    const { state } = await post<{ state: string }>(path, { user: { username: `codes-${index}` }, otp })
    return state === 'approved'
  }
  const [, replayed] = [await pass(0), await pass(0)]
  return {
    size,
    facts: { replayed },
    nextPass,
    async unit(index) {
      if (!(await pass(index))) throw new Error('the code did not pass')
    },
  }
}
