import type { ServerResponse } from 'node:http'

/** The reader of a response: what a connection and a call in the same process have in common. */
export type Reader = Pick<ServerResponse, 'closed' | 'destroyed' | 'statusCode' | 'writableFinished'> & {
  once(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
}
