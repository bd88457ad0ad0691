import type { WebSession } from '../framework/session-kind.ts'

/** A "remember me" of the app's login is kept, and so is that the user wants none: each new web session begins with the usual lifetime. */
export function keepLifetime({ cookie: before }: WebSession, { cookie }: WebSession): void {
  if (!cookie || before?.originalMaxAge === undefined) return
  if (before.originalMaxAge) {
    cookie.maxAge = before.originalMaxAge
    return
  }
  cookie.expires = before.expires
  cookie.originalMaxAge = before.originalMaxAge
}
