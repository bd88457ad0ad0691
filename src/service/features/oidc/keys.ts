import { createHash, createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto'
import type { JsonWebKey } from 'node:crypto'
import { promisify } from 'node:util'

import { audit } from '../../engine/audit/audit.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import type { Secrets } from '../../engine/secrets/secrets.ts'
import { selfSignedCertificate } from './certificate.ts'
import { deleteKeysBefore, insertOidcKey, oidcKeys } from './key-statements.ts'
import type { OidcKeyRow } from './key-statements.ts'
import { newKeyDue, publishedBefore, timedKeys } from './key-times.ts'
import type { KeyState } from './key-times.ts'

/**
 * RS256: every client of OpenID Connect has it (Core section 15.1), and Microsoft Entra accepts nothing else. 2048 bits are enough until
 * 2030 (NIST SP 800-57 part 1, table 4), and keys change several times a year.
 */
const algorithm = 'RS256'
const modulusLength = 2048

/** A key that the provider signs with, or has published. */
export interface SigningKey {
  /** The thumbprint of the public key (RFC 7638). */
  readonly id: string
  readonly state: KeyState
  /** Unix times, seconds. */
  readonly createdAt: number
  readonly signsFrom: number
  /** The time at which it is not published any more; null as long as no other key takes over. */
  readonly publishedUntil: number | null
}

/** A private key (RFC 7517). */
export interface PrivateJwk {
  readonly kid: string
  readonly use: 'sig'
  readonly alg: typeof algorithm
  /** One certificate, self-signed: DER, base64. */
  readonly x5c: readonly string[]
  readonly [member: string]: unknown
}

/**
 * The private keys that are published now, the one that signs first. Makes a new one where it is due: the first one signs at once, and
 * each later one in two days.
 *
 * @param maxAge Seconds.
 */
export async function signingKeys(ctx: ServiceContext, maxAge: number): Promise<readonly PrivateJwk[]> {
  const rows = await keysWithNew(ctx, maxAge)
  return timedKeys(rows, ctx.clock.now()).map(({ key }) => privateJwk(ctx.secrets, key))
}

/** The published keys without their private halves, the one that signs first. */
export async function listSigningKeys({ store, clock }: ServiceContext): Promise<readonly SigningKey[]> {
  return timedKeys(await oidcKeys(store.db), clock.now()).map(({ key, state, publishedUntil = null }) => {
    const { id, createdAt, signsFrom } = key
    return { id, state, createdAt, signsFrom, publishedUntil }
  })
}

/**
 * Publishes a new key, which signs in two days.
 *
 * @param made The new key; an administrator of the console has made it before the transaction of the change.
 * @param organizationId The organization whose audit trail says who did it; null for an operator of the service.
 * @returns false where one is published that does not sign yet.
 */
export async function rotateSigningKey(
  ctx: ServiceContext,
  made?: MadeKey,
  organizationId: string | null = null,
): Promise<boolean> {
  const now = ctx.clock.now()
  const rows = await oidcKeys(ctx.store.db)
  const newest = rows.at(-1)
  if (newest && newest.signsFrom > now) return false
  const signsFrom = newest ? now + publishedBefore : now
  return addKey(ctx, { newest, signsFrom, organizationId, made: made ?? (await makeSigningKey(ctx)) })
}

/**
 * Makes a new key that signs at once, and ends all others: somebody else may know them. Clients that have read the keys before reject what
 * is signed until they read them again.
 *
 * @param made See `rotateSigningKey`, as well as for the organization.
 * @returns how many ended.
 * @throws {ApiProblem} where somebody else has added a key at the same time.
 */
export async function replaceSigningKeys(
  ctx: ServiceContext,
  made?: MadeKey,
  organizationId: string | null = null,
): Promise<number> {
  const key = made ?? (await makeSigningKey(ctx))
  return inTransaction(ctx.store.db, async (db) => {
    const generation = ((await oidcKeys(db)).at(-1)?.generation ?? 0) + 1
    const now = ctx.clock.now()
    if (!(await insertOidcKey(db, { ...key, generation, createdAt: now, signsFrom: now }))) {
      throw new ApiProblem('api.error.conflict.state', 'Somebody else has added a key at the same time. Try again.')
    }
    const { length: count } = await deleteKeysBefore(db, generation)
    await audit(db, ctx, { event: 'oidc.keys_replaced', organizationId, facts: { key: key.id, count } })
    return count
  })
}

async function keysWithNew(ctx: ServiceContext, maxAge: number): Promise<readonly OidcKeyRow[]> {
  const rows = await oidcKeys(ctx.store.db)
  const due = newKeyDue(rows, { now: ctx.clock.now(), maxAge, ringKey: ctx.keys.writing().id })
  if (due === undefined) return rows
  await addKey(ctx, { newest: rows.at(-1), signsFrom: due, organizationId: null, made: await makeSigningKey(ctx) })
  return oidcKeys(ctx.store.db)
}

interface AddedKey {
  readonly newest: Pick<OidcKeyRow, 'generation'> | undefined
  /** Unix time, seconds. */
  readonly signsFrom: number
  readonly organizationId: string | null
  readonly made: MadeKey
}

/** @returns false where another node was faster. */
function addKey(ctx: ServiceContext, { newest, signsFrom, organizationId, made }: AddedKey): Promise<boolean> {
  const generation = (newest?.generation ?? 0) + 1
  return inTransaction(ctx.store.db, async (db) => {
    const added = await insertOidcKey(db, { ...made, generation, createdAt: ctx.clock.now(), signsFrom })
    if (added) await audit(db, ctx, { event: 'oidc.key_added', organizationId, facts: { key: made.id } })
    return added
  })
}

/** A new key that is not stored yet. */
type MadeKey = Awaited<ReturnType<typeof makeSigningKey>>

/** Makes a key without storing it. */
export async function makeSigningKey({ keys, secrets }: Pick<ServiceContext, 'keys' | 'secrets'>) {
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength })
  const publicKey = pair.publicKey.export({ format: 'jwk' })
  const id = thumbprintOf(publicKey)
  const text = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url')
  return {
    id,
    ringKey: keys.writing().id,
    publicKey: JSON.stringify(publicKey),
    privateKey: secrets.seal(text, recordOf(id)),
  }
}

/** @throws {Error} where the public key, which is not sealed, is another one. */
function privateJwk(secrets: Secrets, { id, privateKey, createdAt }: OidcKeyRow): PrivateJwk {
  const der = Buffer.from(secrets.open(privateKey, recordOf(id)), 'base64url')
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  if (thumbprintOf(createPublicKey(key).export({ format: 'jwk' })) !== id)
    throw new Error('A signing key has another id.')
  const x5c = [selfSignedCertificate(key, id, createdAt)]
  return { ...key.export({ format: 'jwk' }), kid: id, use: 'sig', alg: algorithm, x5c }
}

/** RFC 7638 section 3: SHA-256 over the required members in the order of their names. */
function thumbprintOf({ e, kty, n }: JsonWebKey): string {
  return createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url')
}

const recordOf = (id: string) => ({ kind: 'OpenID key', id, userId: null }) as const
