import { MfaUser } from '../challenge/user.ts'
import type { AppRequest, ResolvedOptions } from './options.ts'

interface PassportRequest {
  readonly isAuthenticated?: unknown
  readonly user?: { readonly username?: unknown }
  readonly session?: { readonly passport?: { readonly user?: unknown } }
  readonly _userProperty?: string
}

/**
 * The app user, or undefined when nobody is signed in.
 *
 * @throws {Error} that names the mend, when that cannot be known: not knowing must never let anybody through.
 */
export async function resolveAppUser(req: AppRequest, options: ResolvedOptions): Promise<MfaUser | undefined> {
  checkPassportRan(req)
  const given = options.user ? await options.user(req) : userOfPassport(req)
  if (!given) return undefined
  const parsed = MfaUser.safeParse(given)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new TypeError(
    `mfa: user(req) gave a user the service cannot know: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  )
}

/** Passport keeps a login in the web session; when it is there but not on the request, Passport comes too late. */
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
  if (typeof isAuthenticated !== 'function') {
    throw new Error(
      'mfa() cannot know who is signed in: put app.use(passport.session()) before app.use(mfa()), ' +
        'or give mfa({ user: (req) => … })',
    )
  }
  if (!user) return undefined
  if (typeof user.username === 'string') return { username: user.username }
  throw new TypeError('mfa: req.user has no username: give mfa({ user: (req) => ({ username: … }) })')
}
