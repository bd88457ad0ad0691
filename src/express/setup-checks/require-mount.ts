import type { Request } from 'express'

import { SetupError } from '../../service-handle.ts'

/**
 * Under a wildcard each address is a mount path of its own, so the challenge is never one: the gate leads from `/mfa` to `/mfa/mfa`.
 *
 * @param challengePath Such as `/mfa`.
 * @throws {SetupError} where a wildcard in the path of `app.use()` has taken the address of the challenge.
 */
export function requireMount({ baseUrl, path, params }: Request, challengePath: string): void {
  if (path !== '/' || !baseUrl.endsWith(challengePath) || !Object.entries(params).some(isWildcard)) return
  throw new SetupError(
    "mfa() was added with a wildcard: write app.use(mfa()) in place of app.use('*', mfa()). In NestJS, write app.use(mfa()) in main.ts, " +
      "or httpAdapter.use(mfa()), in place of consumer.apply(mfa()).forRoutes('*').",
  )
}

/** Express 5 gives a wildcard as a list, and Express 4 numbers it. */
const isWildcard = ([name, value]: readonly [string, unknown]): boolean => Array.isArray(value) || /^\d+$/.test(name)
