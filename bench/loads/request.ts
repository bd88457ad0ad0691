/** The same request again and again, such as a page behind a guard. */
import { createHttpClient } from '../../test/support/crowd/http-client.ts'
import type { Sent } from '../../test/support/crowd/http-client.ts'
import type { Load } from '../measuring/load.ts'

export interface RequestGiven extends Sent {
  readonly url: string
}

export function createLoad({ url, ...request }: RequestGiven): Promise<Load> {
  const http = createHttpClient(url, '127.0.0.1')
  return Promise.resolve({
    size: 1_000,
    async unit() {
      const { status, text } = await http.send(request)
      if (status !== 200) throw new Error(`${status} ${text}`)
    },
  })
}
