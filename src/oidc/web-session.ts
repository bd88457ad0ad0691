import type { IncomingMessage } from 'node:http'

import { challengeLifetime, maxVerifiedAge } from '../challenge/challenge.ts'
import type { User } from '../contract/users.ts'

/** The person of a web session, as the option `user` of `mfa()` gets them. */
export interface SignedInPerson {
  readonly serviceUserId: string
  /** The name that pages show. */
  readonly name: string
}

/** What the provider keeps in the web session of a browser, for the clients of one kind in one domain. */
export interface ProviderSession {
  /** The id of the user, where the store of the service looks for it: the web session ends with the user. */
  userId?: string | undefined
  person?: SignedInPerson | undefined
  /** Whether a client has said who it is, having checked the first factor. Only such a person may set up a first factor. */
  vouched?: boolean | undefined
  /** Until when the second step may be asked of this person, Unix time, seconds. */
  until?: number | undefined
  /** The last authorization request whose page was open. */
  interaction?: string | undefined
  /** By authorization request that needs a new second step: the session of the service that was passed before. */
  before?: Record<string, string> | undefined
  regenerate(callback: (error?: unknown) => void): void
  destroy(callback: (error?: unknown) => void): void
}

export const personOf = ({ id, username, name }: User): SignedInPerson => ({
  serviceUserId: id,
  name: name || username,
})

/** @throws {TypeError} where no middleware has read the web session. */
export function sessionOf(req: IncomingMessage): ProviderSession {
  const { session } = req as { session?: ProviderSession }
  if (!session) throw new TypeError('the request has no web session')
  return session
}

/** Signs a person in to the web session, under a new id: whoever knew the old one must not share what follows. */
export async function signIn(
  req: IncomingMessage,
  { person, vouched, now }: { readonly person: SignedInPerson; readonly vouched: boolean; readonly now: number },
): Promise<void> {
  const { interaction, before } = sessionOf(req)
  await new Promise<void>((resolve, reject) => {
    sessionOf(req).regenerate((error) =>
      error
        ? reject(error instanceof Error ? error : new Error('the web session was not replaced', { cause: error }))
        : resolve(),
    )
  })
  Object.assign(sessionOf(req), { userId: person.serviceUserId, person, vouched, interaction, before })
  vouchFor(sessionOf(req), now)
}

/** How long what a client or an administrator has said of a person counts, seconds: as long as a challenge. */
const vouchedFor = challengeLifetime

/** Lets the second step be asked of the person for a while. Later, whoever uses this browser could have it asked without a first one. */
export function vouchFor(session: ProviderSession, now: number): void {
  session.until = Math.max(session.until ?? 0, now + vouchedFor)
}

/** Keeps a person who has passed the second step signed in for as long as that counts. */
export function keepSignedIn(session: ProviderSession, passedAt: number): void {
  session.until = Math.max(session.until ?? 0, passedAt + maxVerifiedAge)
}

/** The person of the web session, as long as the second step may be asked of them. */
export function personIn({ person, until = 0 }: ProviderSession, now: number): SignedInPerson | undefined {
  return now < until ? person : undefined
}

/** How many authorization requests a web session remembers, so that it cannot grow. */
const maxRemembered = 10

/**
 * Remembers which second step was passed when an authorization request came that needs a new one.
 *
 * @returns the session of the service that does not count for it; empty if there was none.
 */
export function passedBefore(req: IncomingMessage, uid: string, sessionId: string | undefined): string {
  const session = sessionOf(req)
  const known = session.before?.[uid]
  if (known !== undefined) return known
  const entries = [...Object.entries(session.before ?? {}), [uid, sessionId ?? ''] as const]
  session.before = Object.fromEntries(entries.slice(-maxRemembered))
  return sessionId ?? ''
}
