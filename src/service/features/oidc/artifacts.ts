import { createHash } from 'node:crypto'

import { networkOf } from '../../engine/base/network.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { readCommitted } from '../../engine/database/transaction-ends.ts'
import { reserve } from '../../engine/limits/tallies.ts'
import type { TallyLimit } from '../../engine/limits/tallies.ts'
import { epochOf } from '../users/rules.ts'
import { lockedEpoch } from '../users/statements.ts'
import { factsOf } from './artifact-facts.ts'
import type { ArtifactFacts, OidcPayload } from './artifact-facts.ts'
import {
  artifactById,
  artifactByUid,
  consumeArtifact,
  deleteArtifact,
  deleteOfGrant,
  insertArtifact,
  keepAsFormerLogin,
  rootOf,
  touchArtifact,
  updateArtifact,
} from './artifact-statements.ts'
import type { ArtifactRow } from './artifact-statements.ts'
import { artifactLimits, formerLoginKept, maxLifetime, maxLifetimeOfNobody, maxPayload, ownModels } from './models.ts'
import { OidcStateError } from './state-error.ts'

type Context = Pick<ServiceContext, 'store' | 'secrets' | 'clock'>

/** A name of something that is stored: its model, and the id that is a secret of its holder. */
interface Name {
  readonly model: string
  readonly id: string
}

/** Ids of codes and tokens are stored as hashes, so that a copy of the database signs nobody in. The model is a part of the hash. */
const hashOf = (model: string, id: string): string => createHash('sha256').update(`${model}:${id}`).digest('base64url')

/** What tells the row of something that is stored from others. */
export const artifactKey = ({ model, id }: Name) => ({ model, id: hashOf(model, id) })

interface Stored {
  readonly payload: OidcPayload
  /** Seconds; by default as long as possible. */
  readonly expiresIn?: number | undefined
  /** The address of a stranger; undefined if it is unknown, and where the client has authenticated itself. */
  readonly address: string | undefined
}

/**
 * Stores something, or replaces it.
 *
 * @throws {OidcStateError} See `OidcAdapter` in `oidc-state.ts`.
 */
export async function storeArtifact(ctx: Context, name: Name, stored: Stored): Promise<void> {
  const { payload, expiresIn = maxLifetime, address } = stored
  await write(ctx, name, { payload, expiresIn, address, facts: factsOf(name.model, payload) })
}

/** Stores a session of express-session. @param userId The user, once somebody is known. */
export async function storeWebSession(
  ctx: Context,
  id: string,
  session: Stored & { readonly expiresIn: number; readonly userId: string | null },
): Promise<void> {
  const facts = { ...factsOf(ownModels.webSession, {}), userId: session.userId }
  await write(ctx, { model: ownModels.webSession, id }, { ...session, facts })
}

interface StoredWithFacts extends Stored {
  readonly expiresIn: number
  readonly facts: ArtifactFacts
}

async function write(ctx: Context, name: Name, { payload, expiresIn, address, facts }: StoredWithFacts): Promise<void> {
  const now = ctx.clock.now()
  const key = artifactKey(name)
  const text = JSON.stringify(payload)
  if (Buffer.byteLength(text) > maxPayload) throw new OidcStateError('too_large', `This ${name.model} is too large.`)
  const { userId, clientId, grantId, uid } = facts
  const isOnce = name.model === once
  if (isOnce && expiresIn > maxLifetime) throw new OidcStateError('too_large', 'The assertion is valid for too long.')
  const longest = userId === null && !isOnce ? maxLifetimeOfNobody : maxLifetime
  const row = {
    ...key,
    grantId: grantId === null ? null : hashOf('Grant', grantId),
    userId,
    uid: uid === null ? null : hashOf('uid', uid),
    expiresAt: now + Math.ceil(Math.min(expiresIn, longest)),
    payload: ctx.secrets.seal(text, recordOf(key.id, userId)),
  }
  // What the rules depend on is the row of the user, or a statement of its own: see `docs/decisions/0083`.
  await readCommitted(ctx.store.db).execute(async (db) => {
    if (userId !== null) await requireUser(db, { model: name.model, userId, facts, grantId: row.grantId }, now)
    if (!isOnce && (await updateArtifact(db, row, now))) return
    if (userId === null) await takePlace(db, { clientId, address }, now)
    // An expired row of the same id, which nobody can find.
    if (!isOnce) await deleteArtifact(db, key)
    if (await insertArtifact(db, { ...row, clientId, createdAt: now })) return
    if (isOnce) throw new OidcStateError('used', 'This assertion was used already.')
    // Another request has stored it meanwhile, or has ended it.
    if (!(await updateArtifact(db, row, now))) throw ended(`The ${name.model} has ended.`)
  })
}

/** What must not be stored twice: an assertion or a proof that was used. It is kept as long as that is valid. */
const once = 'ReplayDetection'

interface OfUser {
  readonly model: string
  readonly userId: string
  readonly facts: ArtifactFacts
  readonly grantId: string | null
}

/** A user whose epoch changes while oidc-provider answers a request has nothing afterwards that was stored with the epoch before. */
async function requireUser(db: Queryable, { model, userId, facts, grantId }: OfUser, now: number): Promise<void> {
  const user = await lockedEpoch(db, userId)
  if (!user) throw ended('The user does not exist.')
  if (model === ownModels.webSession) return
  if (facts.login && facts.login.epoch !== epochOf(user)) throw ended('The sign-in of the user has ended.')
  if ((model === 'Session' || model === 'Grant') && (await rootOf(db, userId, now)) === undefined) {
    throw ended('The sign-in of the user has ended.')
  }
  if (grantId !== null && !(await artifactById(db, { model: 'Grant', id: grantId }, now))) {
    throw ended('The grant has ended.')
  }
}

/** Anyone can cause what belongs to nobody, without authentication: it must not fill the disk. */
async function takePlace(db: Queryable, { clientId, address }: Place, now: number): Promise<void> {
  const { window, slot, ...amounts } = artifactLimits
  const { total, ofNetwork } = clientId === null ? amounts.ofNone : amounts.ofClient
  const scope = `openid ${clientId ?? 'none'}`
  const limits: TallyLimit[] = [{ scope, limit: total, window, slot }]
  // A stranger uses up what one network gets, and the users elsewhere go on.
  if (address !== undefined) limits.unshift({ scope: `${scope} ${networkOf(address)}`, limit: ofNetwork, window, slot })
  const taken = await reserve(db, limits, now)
  if ('refusedBy' in taken)
    throw new OidcStateError('full', `Too many requests: at most ${taken.refusedBy.limit} in 10 minutes.`)
}

interface Place {
  readonly clientId: string | null
  readonly address: string | undefined
}

/** @returns undefined once it has expired or ended. */
export async function findArtifact({ store, secrets, clock }: Context, name: Name): Promise<OidcPayload | undefined> {
  return open(secrets, await artifactById(store.db, artifactKey(name), clock.now()))
}

export async function findByUid(
  { store, secrets, clock }: Context,
  { model, uid }: { readonly model: string; readonly uid: string },
): Promise<OidcPayload | undefined> {
  return open(secrets, await artifactByUid(store.db, { model, uid: hashOf('uid', uid) }, clock.now()))
}

/** @throws {OidcStateError} `used` unless this call is the first one. */
export async function consume({ store, clock }: Context, name: Name): Promise<void> {
  if (await consumeArtifact(store.db, artifactKey(name), clock.now())) return
  throw new OidcStateError('used', `This ${name.model} was used already, or has ended.`)
}

/** @throws {OidcStateError} `ended` for an interaction that is gone: oidc-provider was about to sign somebody in with it. */
export async function destroyArtifact({ store, clock }: Context, name: Name): Promise<void> {
  const { db } = store
  const now = clock.now()
  const isLogin = name.model === 'Interaction' || name.model === 'Session'
  if (isLogin && (await keepAsFormerLogin(db, artifactKey(name), now, now + formerLoginKept))) return
  const wasThere = await deleteArtifact(db, artifactKey(name))
  if (!wasThere && name.model === 'Interaction') throw ended('The interaction has ended.')
}

/** Ends what was issued with a grant, as far as it is of this model: oidc-provider calls it for each. */
export function revokeByGrant({ store }: Context, model: string, grantId: string): Promise<void> {
  return deleteOfGrant(store.db, { model, grantId: hashOf('Grant', grantId) })
}

/** Moves the end of a web session, if it is that of a user: others last for an hour after their last change. @param expiresIn Seconds. */
export function touchWebSession({ store, clock }: Context, id: string, expiresIn: number): Promise<void> {
  const until = clock.now() + Math.ceil(Math.min(expiresIn, maxLifetime))
  return touchArtifact(store.db, artifactKey({ model: ownModels.webSession, id }), until)
}

function open(
  secrets: Context['secrets'],
  row: Pick<ArtifactRow, 'id' | 'userId' | 'consumedAt' | 'payload'> | undefined,
): OidcPayload | undefined {
  if (!row) return undefined
  const payload = openPayload(secrets, row)
  return row.consumedAt === null ? payload : { ...payload, consumed: row.consumedAt }
}

/** Opens what a row has sealed for itself and its user. */
export const openPayload = (
  secrets: Context['secrets'],
  { id, userId, payload }: Pick<ArtifactRow, 'id' | 'userId' | 'payload'>,
): OidcPayload => JSON.parse(secrets.open(payload, recordOf(id, userId))) as OidcPayload

const recordOf = (id: string, userId: string | null) => ({ kind: 'OpenID artifact', id, userId }) as const

const ended = (message: string) => new OidcStateError('ended', message)
