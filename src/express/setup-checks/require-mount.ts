import type { Request } from 'express'

import { SetupError } from '../../service-handle.ts'

/**
 * Under a wildcard each address is a mount path of its own, so no request would ever be one for the challenge.
 *
 * @throws {SetupError} where the path of `app.use()` has a wildcard that has taken the rest of the address.
 */
export function requireMount({ baseUrl, path, params }: Request): void {
  if (baseUrl === '' || path !== '/' || !Object.entries(params).some(isWildcard)) return
  throw new SetupError(
    "mfa() was added with a wildcard: write app.use(mfa()) in place of app.use('*', mfa()). In NestJS, write app.use(mfa()) in main.ts, " +
      "or httpAdapter.use(mfa()), in place of consumer.apply(mfa()).forRoutes('*').",
  )
}

/** Express 5 gives a wildcard as a list, and Express 4 numbers it. */
const isWildcard = ([name, value]: readonly [string, unknown]): boolean => Array.isArray(value) || /^\d+$/.test(name)
