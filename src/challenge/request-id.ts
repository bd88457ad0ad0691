import { AsyncLocalStorage } from 'node:async_hooks'

/** Names a request of the app. The name is made when it is first needed: most requests ask the service for nothing. */
export type RequestId = () => string

const requests = new AsyncLocalStorage<RequestId>()

/** Makes all calls to the service in `run` those of one request: they carry its id. */
export function asRequest<T>(requestId: RequestId, run: () => T): T {
  return requests.run(requestId, run)
}

/** The id of the request that is being answered; undefined outside of one. */
export const currentRequestId = (): string | undefined => requests.getStore()?.()
