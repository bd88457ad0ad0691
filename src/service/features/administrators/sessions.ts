import type { AdminSession } from '../../../admin-contract/sign-in.ts'
import { freshFor, sessionIdle, sessionLifetime } from '../../../contract/roles.ts'
import type { Caller, SignedIn } from '../../engine/context/caller.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { Call } from '../../engine/http/route.ts'
import { hashSecret, newSecret } from '../../engine/base/secret.ts'
import { visibleDomains, hasEnded } from './rules.ts'
import {
  insertAdministratorSession,
  noteSessionUse,
  removeAdministratorSession,
  signedInAdministrator,
} from './session-statements.ts'
import { domainsOfAdministrators, noteAdministratorSeen } from './statements.ts'
import { domainsOf } from '../domains/statements.ts'
import { organizationById } from '../domains/organization-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { findAdministrator } from './administration.ts'
import { consoleOf, notSignedIn } from './call.ts'
import { asSeenBy } from './concern.ts'
import { consoleCookie } from './cookie.ts'

/** How often the use of a session is stored, seconds: so that most requests only read. */
const useInterval = 60

/** @returns undefined for a session that has ended, or whose administrator was revoked. */
export async function findSignedIn(
  { store, clock }: Pick<ServiceContext, 'store' | 'clock'>,
  hash: string,
): Promise<SignedIn | undefined> {
  const row = await signedInAdministrator(store.db, hash)
  if (!row || hasEnded(row, clock.now())) return undefined
  const domains = await domainsOfAdministrators(store.db, [row.id])
  const domainIds = visibleDomains(
    row.role,
    domains.map(({ domainId }) => domainId),
  )
  const { id, organizationId, role, userId, email, signedInAt, usedAt, passedAt } = row
  return { id, organizationId, role, userId, email, domainIds, session: { hash, signedInAt, usedAt, passedAt } }
}

/** Keeps a session in use from ending. */
export async function noteUse(
  { store, clock }: Pick<ServiceContext, 'store' | 'clock'>,
  { id, session }: SignedIn,
): Promise<void> {
  const now = clock.now()
  if (now - session.usedAt < useInterval) return
  await store.db.transaction().execute(async (db) => {
    await noteAdministratorSeen(db, id, now)
    await noteSessionUse(db, session.hash, now)
  })
}

/** Begins a session and ends the one that the browser had. In the transaction of the sign-in. @returns the cookie. */
export async function beginSession(db: Queryable, call: Caller, administratorId: string): Promise<NewSession> {
  const now = call.clock.now()
  const secret = newSecret(call.random)
  await noteAdministratorSeen(db, administratorId, now)
  const { administrator: previous, origin } = consoleOf(call)
  if (previous) await removeAdministratorSession(db, previous.session.hash)
  const hash = hashSecret(secret)
  await insertAdministratorSession(db, { hash, administratorId, createdAt: now, usedAt: now, passedAt: now })
  return { hash, cookie: consoleCookie(origin).write(secret) }
}

interface NewSession {
  readonly hash: string
  readonly cookie: string
}

/** Answers a sign-in: with the cookie, and with who is signed in. */
export async function answerSignIn(call: Call, { hash, cookie }: NewSession): Promise<AdminSession> {
  const administrator = await findSignedIn(call, hash)
  if (!administrator) throw notSignedIn()
  call.http?.setHeader('Set-Cookie', cookie)
  return sessionView(call, administrator)
}

/** The current session as the console shows it. */
export async function sessionView(ctx: ServiceContext, signedIn: SignedIn): Promise<AdminSession> {
  const { organizationId, domainIds, session } = signedIn
  const { db } = ctx.store
  const organization = await organizationById(db, organizationId)
  const domains = await domainsOf(db, organizationId)
  return {
    administrator: await asSeenBy(db, signedIn, await findAdministrator(ctx, organizationId, signedIn.id)),
    organization: { id: organizationId, name: organization?.name ?? '' },
    domains: domains
      .filter(({ id }) => domainIds === null || domainIds.includes(id))
      .map(({ id, name }) => ({ id, name })),
    freshUntil: session.passedAt + freshFor,
    idleUntil: Math.min(session.usedAt + sessionIdle, session.signedInAt + sessionLifetime),
    endsAt: session.signedInAt + sessionLifetime,
  }
}
