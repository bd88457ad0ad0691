import { memberTexts, MfaUser, optionalMembers, userMembers } from '../../challenge/user.ts'
import type { AppUser, OptionalMember } from '../../challenge/user.ts'
import { describeMistakes, validate } from '../../contract/validate.ts'
import type { ResolvedOptions } from '../options/options.ts'
import type { FrameworkRequest } from '../framework/request.ts'
import { appRequestOf } from './app-request.ts'
import { warnOnce } from './warn.ts'

interface PassportRequest {
  readonly _userProperty?: string
  readonly _passport?: { readonly instance?: { readonly _userProperty?: string } }
  readonly isAuthenticated?: unknown
  readonly session?: { readonly passport?: { readonly user?: unknown } }
}

/**
 * Returns the app user, or undefined if no user is signed in.
 *
 * @param knownUser A user who was validated for this request before.
 * @returns a promise only if the option `user` returns one.
 * @throws {Error} that says how to fix it, when that cannot be known: doubt must never let a request pass.
 */
export function resolveAppUser(
  req: FrameworkRequest,
  options: ResolvedOptions,
  knownUser?: MfaUser,
): MfaUser | undefined | Promise<MfaUser | undefined> {
  checkPassportRan(req)
  const appUser = options.user ? options.user(appRequestOf(req)) : userOfPassport(req)
  return isThenable(appUser)
    ? Promise.resolve(appUser).then((resolved) => readAppUser(resolved, options, knownUser))
    : readAppUser(appUser, options, knownUser)
}

/** Promises of other libraries count as well. */
const isThenable = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof (value as Partial<PromiseLike<T>> | null | undefined)?.then === 'function'

/** The user, checked. @throws {TypeError} for one with a mistake. */
export function readAppUser(
  appUser: AppUser | null | undefined | false,
  options: ResolvedOptions,
  knownUser?: MfaUser,
): MfaUser | undefined {
  if (!appUser) return undefined
  if (knownUser && isSame(appUser, knownUser)) return knownUser
  const read = recent.get(appUser.username ?? '')
  if (read && isSame(appUser, read.appUser)) return read.user
  return remember(appUser, validateAppUser(appUser, options))
}

/** Only the username, or the id, may stop a request: names and addresses that cannot be used are left out. */
function validateAppUser(appUser: AppUser, options: ResolvedOptions): MfaUser {
  const user = validate(MfaUser, appUser)
  if (user.success) return user.data
  const unusable = new Map(user.mistakes.map(({ path, message }) => [path[0], message]))
  const omitted = optionalMembers.filter((member) => unusable.has(member))
  if (omitted.length === 0) {
    throw new TypeError(
      `mfa: user(req) returned a user with a mistake: ${describeMistakes(user.mistakes)}. ${userExample}`,
    )
  }
  for (const member of omitted) warnOfUnusable(options, member, unusable.get(member) ?? '')
  return validateAppUser(copyOf(appUser, omitted), options)
}

/** Takes only the members that the service knows: an app may return an object of its own. */
const copyOf = (appUser: AppUser, omitted: readonly OptionalMember[] = []): AppUser =>
  Object.fromEntries(
    userMembers.filter((member) => !omitted.some((each) => each === member)).map((member) => [member, appUser[member]]),
  )

/** Warns once of names, and once of addresses: a whole directory may have them. */
export function warnOfUnusable(options: ResolvedOptions, member: OptionalMember, reason: string): void {
  const { noun, instead } = memberTexts[member]
  const text = `a user has ${noun} that cannot be used (${reason}): ${instead}`
  warnOnce(options, text, `unusable ${member}`)
}

interface Recent {
  /** The user as the app has returned it. */
  readonly appUser: AppUser
  readonly user: MfaUser
}

/** The last users who were validated, by username: nearly every request is by one of them, and is compared instead. */
const recent = new Map<string, Recent>()

/** 4 MB of users as most are, and about twice as much where names and addresses are long. */
const maxRecent = 10_000
const maxRecentLength = 256

function remember(appUser: AppUser, user: MfaUser): MfaUser {
  if (user.username === undefined || !optionalMembers.every((member) => isShort(appUser[member]))) return user
  recent.delete(user.username)
  if (recent.size >= maxRecent) recent.delete(recent.keys().next().value ?? '')
  recent.set(user.username, { appUser: copyOf(appUser), user: Object.freeze(user) })
  return user
}

/** An app may return anything as a name. */
const isShort = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.length <= maxRecentLength)

/** Compares all fields, which costs a tenth of validating them again. */
const isSame = (appUser: AppUser, other: AppUser): boolean =>
  userMembers.every((member) => appUser[member] === other[member])

const userExample =
  "Return an object such as { username: 'alice' }, with name and email if you have them, or nothing if no user is " +
  'signed in: mfa({ user: (req) => req.user && { username: req.user.email } })'

/** Passport stores a login in the web session: if it is there and not on the request, Passport runs too late. */
function checkPassportRan(req: FrameworkRequest): void {
  const { session } = req as PassportRequest
  if (session?.passport?.user === undefined || passportUser(req)) return
  throw new Error(
    'mfa() runs before Passport has read the login: put app.use(passport.session()) before app.use(mfa())',
  )
}

/** The user as Passport has read it: `req.user`, or the property that `passport.initialize({ userProperty })` names. */
export function passportUser(req: object): unknown {
  // Passport 0.6 writes the name on the request, and older versions on their instance.
  const { _userProperty: ofRequest, _passport } = req as PassportRequest
  const { _userProperty: ofInstance } = _passport?.instance ?? {}
  return (req as Readonly<Record<string, unknown>>)[ofRequest ?? ofInstance ?? 'user'] ?? undefined
}

function userOfPassport(req: FrameworkRequest): { username: string } | undefined {
  const { isAuthenticated } = req as PassportRequest
  const user = passportUser(req) as { readonly username?: unknown } | undefined
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
