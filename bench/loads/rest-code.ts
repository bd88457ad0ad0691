/** A code check at the service: `POST /domains/{domainId}/sessions` with `otp`. */
import { createClient } from '../../src/client/client.ts'
import { createHttpClient } from '../../test/support/crowd/http-client.ts'
import type { ServiceGiven } from '../contenders/prepare.ts'
import { createMovedClock } from '../measuring/moved-clock.ts'
import type { Load } from '../measuring/load.ts'
import { addCodeUsers, codeOf } from './second-steps.ts'

const size = 240

export async function createLoad({ url, apiKey, domainId }: ServiceGiven): Promise<Load> {
  const clock = createMovedClock()
  const seeds = await addCodeUsers({ client: createClient({ baseUrl: `${url}/api`, apiKey }), domainId }, size)
  const http = createHttpClient(url, '127.0.0.1')
  const nextPass = async () => {
    const { text } = await http.send({ method: 'POST', path: '/bench/clock' })
    clock.move(Number(text) - clock.now())
  }
  const pass = async (index: number) => {
    const otp = codeOf(seeds[index] ?? '', clock.now())
    const body = JSON.stringify({ user: { username: `codes-${index}` }, otp })
    const headers = {
      accept: 'application/vnd.service.v1+json; version=1.4',
      authorization: `Service key="${apiKey}"`,
      'content-type': 'application/vnd.service.v1+json; version=1.4',
      'content-length': String(body.length),
    }
    const path = `/api/domains/${domainId}/sessions`
    const { status, text } = await http.send({ method: 'POST', path, headers, body })
    if (status !== 200) throw new Error(`${status} ${text}`)
    return (JSON.parse(text) as { state: string }).state === 'approved'
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
