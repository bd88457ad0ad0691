import { AsyncLocalStorage } from 'node:async_hooks'

const callers = new AsyncLocalStorage<string>()

/** Makes all calls to the service in `run` those of a user, so that no user can take what all share. */
export function asCaller<T>(userKey: string, run: () => T): T {
  return callers.run(userKey, run)
}

/** Whose call it is; undefined where it is nobody's in particular. */
export function currentCaller(): string | undefined {
  return callers.getStore()
}
