/** The same request again and again, such as a page behind a guard. With `cookies`, each time of the next web session. */
import { createHttpClient } from '../../test/support/crowd/http-client.ts'
import type { Sent } from '../../test/support/crowd/http-client.ts'
import type { Load } from '../measuring/load.ts'

export interface RequestGiven extends Sent {
  readonly url: string
  /** The cookies of web sessions that take turns. */
  readonly cookies?: readonly string[]
}

export function createLoad({ url, cookies = [], ...request }: RequestGiven): Promise<Load> {
  const http = createHttpClient(url, '127.0.0.1')
  return Promise.resolve({
    size: cookies.length || 1_000,
    async unit(index) {
      const cookie = cookies[index]
      const headers = cookie === undefined ? request.headers : { ...request.headers, cookie }
      const { status, text } = await http.send({ ...request, ...(headers && { headers }) })
      if (status !== 200) throw new Error(`${status} ${text}`)
    },
  })
}
