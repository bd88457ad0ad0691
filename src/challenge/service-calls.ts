import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'

import type { Connection } from '../service-handle.ts'

/** Returns the id of a request of the app. It is created on first use, because most requests call no service. */
export type RequestId = () => string

const requests = new AsyncLocalStorage<RequestId>()
const callers = new AsyncLocalStorage<string>()

/** @param appRequestId The id that the request has already. */
export function lazyRequestId(appRequestId: string | undefined): RequestId {
  let id = appRequestId
  // A closure over nothing else: it lives as long as the request, see context.ts.
  return () => (id ??= randomUUID())
}

/** Attributes all service calls in `run` to one request: they carry its id. */
export function asRequest<A extends readonly unknown[], T>(
  requestId: RequestId,
  run: (...values: A) => T,
  ...values: A
): T {
  return requests.run(requestId, run, ...values)
}

/** The id of the current request, if any. */
export const currentRequestId = (): string | undefined => requests.getStore()?.()

/** Attributes all service calls in `run` to a user, so that no user can take up the calls that all users share. */
export function asCaller<T>(userKey: string, run: () => T): T {
  return callers.run(userKey, run)
}

/** The user that the current call is attributed to, if any. */
export const currentCaller = (): string | undefined => callers.getStore()

/** Reports each response, but not what a stream sends later. */
export function reporting(answered: () => void, send: Connection['fetch']): typeof fetch {
  return async (...call) => {
    const response = await (send ?? fetch)(...call)
    if (response.status < 500) answered()
    return response
  }
}
