import { MfaUser } from '../../challenge/user.ts'
import type { AppUser } from '../../challenge/user.ts'
import { describeMistakes, validate } from '../../contract/validate.ts'
import type { AppRequest, ResolvedOptions } from '../options.ts'

interface PassportRequest {
  readonly isAuthenticated?: unknown
  readonly user?: { readonly username?: unknown }
  readonly session?: { readonly passport?: { readonly user?: unknown } }
  readonly _userProperty?: string
}

/**
 * Returns the app user, or undefined if no user is signed in.
 *
 * @param known A user who was validated for this request before.
 * @returns a promise only if the option `user` returns one.
 * @throws {Error} that says how to fix it, when that cannot be known: doubt must never let a request pass.
 */
export function resolveAppUser(
  req: AppRequest,
  options: ResolvedOptions,
  known?: MfaUser,
): MfaUser | undefined | Promise<MfaUser | undefined> {
  checkPassportRan(req)
  const appUser = options.user ? options.user(req) : userOfPassport(req)
  return isThenable(appUser)
    ? Promise.resolve(appUser).then((resolved) => readAppUser(resolved, known))
    : readAppUser(appUser, known)
}

/** Promises of other libraries count as well. */
const isThenable = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof (value as Partial<PromiseLike<T>> | null | undefined)?.then === 'function'

/** The user, checked. @throws {TypeError} for one with a mistake. */
export function readAppUser(appUser: AppUser | null | undefined | false, known?: MfaUser): MfaUser | undefined {
  if (!appUser) return undefined
  if (known && isSame(appUser, known)) return known
  const read = recent.get(appUser.username ?? '')
  if (read && isSame(appUser, read)) return read
  const user = validate(MfaUser, appUser)
  if (user.success) return remember(user.data)
  throw new TypeError(
    `mfa: user(req) returned a user with a mistake: ${describeMistakes(user.mistakes)}. ${userExample}`,
  )
}

/** The last users who were validated, by username: nearly every request is by one of them, and is compared instead. */
const recent = new Map<string, MfaUser>()

/** Less than 1 MB. */
const maxRecent = 2_000

function remember(user: MfaUser): MfaUser {
  if (user.username === undefined) return user
  if (recent.size >= maxRecent) recent.clear()
  recent.set(user.username, Object.freeze(user))
  return user
}

/** Compares all fields, which costs a tenth of validating them again. */
const isSame = (appUser: AppUser, { username, serviceUserId, name, email }: MfaUser) =>
  appUser.username === username &&
  appUser.serviceUserId === serviceUserId &&
  appUser.name === name &&
  appUser.email === email

const userExample =
  "Return an object such as { username: 'alice' }, with name and email if you have them, or nothing if no user is " +
  'signed in: mfa({ user: (req) => req.user && { username: req.user.email } })'

/** Passport stores a login in the web session: if it is there and not on the request, Passport runs too late. */
function checkPassportRan(req: AppRequest): void {
  const { session, _userProperty: property = 'user' } = req as PassportRequest
  const stored = session?.passport?.user
  if (stored === undefined || (req as unknown as Record<string, unknown>)[property]) return
  throw new Error(
    'mfa() runs before Passport has read the login: put app.use(passport.session()) before app.use(mfa())',
  )
}

function userOfPassport(req: AppRequest): { username: string } | undefined {
  const { isAuthenticated, user } = req as PassportRequest
  if (user) {
    if (typeof user.username === 'string') return { username: user.username }
    throw new TypeError(`mfa: req.user has no username: set the option user. ${userExample}`)
  }
  if (typeof isAuthenticated === 'function') return undefined
  throw new Error(
    'mfa() cannot know who is signed in: put app.use(passport.session()) before app.use(mfa()), ' +
      'or set the option user, such as mfa({ user: (req) => req.session.user })',
  )
}
