import { isTrouble } from '../express/request/trouble.ts'
import { StoreUnavailableError } from '../service/engine/base/store-errors.ts'
import type { Packages } from './packages.ts'

/**
 * Translates that the service or its database does not respond: a client learns that it can try again, and not that something is wrong
 * with its request (RFC 6749 section 4.1.2.1).
 */
export function translateOutage({ errors }: Packages['openid'], error: unknown): unknown {
  if (!isTrouble(error) && !(error instanceof StoreUnavailableError)) return error
  const unavailable = new errors.TemporarilyUnavailable('the service does not respond', { cause: error })
  return Object.assign(unavailable, { status: 503, statusCode: 503 })
}

/** @throws {TemporarilyUnavailable} if the work fails because the service does not respond. */
export async function unlessDown<T>(openid: Packages['openid'], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translateOutage(openid, error)
  }
}
