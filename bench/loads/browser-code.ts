/** A browser's POST of a code to an app in which the users are signed in. */
import { createHttpClient } from '../../test/support/crowd/http-client.ts'
import { createMovedClock } from '../measuring/moved-clock.ts'
import type { Load } from '../measuring/load.ts'
import { codeOf } from './second-steps.ts'

export interface BrowserCodeGiven {
  readonly url: string
  /** Where the code is posted. */
  readonly path: string
  readonly json: boolean
  readonly users: readonly { readonly cookie: string; readonly seed: string }[]
  /** Whether the app's clock can be moved, for apps that accept a code once. */
  readonly movable: boolean
}

export async function createLoad({ url, path, json, users, movable }: BrowserCodeGiven): Promise<Load> {
  const clock = createMovedClock()
  const http = createHttpClient(url, '127.0.0.1')
  const cookies = users.map(({ cookie }) => cookie)
  const nextPass = async () => {
    if (!movable) return
    const { text } = await http.send({ method: 'POST', path: '/bench/clock' })
    clock.move(Number(text) - clock.now())
  }
  const pass = async (index: number): Promise<number> => {
    const code = codeOf(users[index]?.seed ?? '', clock.now())
    const body = json ? JSON.stringify({ code }) : `code=${code}`
    const headers = {
      cookie: cookies[index] ?? '',
      origin: url,
      'sec-fetch-site': 'same-origin',
      'content-type': json ? 'application/json' : 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
    }
    const response = await http.send({ method: 'POST', path, headers, body })
    const set = response.headers['set-cookie']?.map((line) => line.split(';')[0])
    if (set?.length) cookies[index] = set.join('; ')
    return response.status
  }
  await nextPass()
  const first = await pass(0)
  if (first !== 200) throw new Error(`the code was answered with ${first}`)
  const replayed = (await pass(0)) === 200
  return {
    size: users.length,
    facts: { replayed },
    nextPass,
    async unit(index) {
      const status = await pass(index)
      if (status !== 200) throw new Error(`the code was answered with ${status}`)
    },
  }
}
