import { AsyncLocalStorage } from 'node:async_hooks'

const callers = new AsyncLocalStorage<string>()

/** Attributes all service calls in `run` to a user, so that no user can take up the calls that all users share. */
export function asCaller<T>(userKey: string, run: () => T): T {
  return callers.run(userKey, run)
}

/** The user that the current call is attributed to, if any. */
export function currentCaller(): string | undefined {
  return callers.getStore()
}
