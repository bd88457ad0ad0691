import { z } from 'zod'

import { audit } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { Acting } from '../../engine/context/acting.ts'
import { hashApiKey } from '../../engine/http/authenticate.ts'
import { parseOptions } from '../../../contract/validate.ts'
import { newId, randomText } from '../../engine/base/random.ts'
import { apiKeysOf, insertApiKey, removeApiKey } from './api-key-statements.ts'
import { domainById } from './statements.ts'
import type { ApiKeyRole } from '../../engine/database/schema/schema.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'

/** Options of `createApiKey()`. */
export interface NewApiKey {
  /**
   * What the key may do: everything (`'admin'`), or only sessions and reads (`'auth'`).
   * @default `'admin'`
   */
  role?: 'admin' | 'auth' | undefined
  /**
   * The id of the only domain that a key of role `'auth'` is valid for.
   * @default all domains of the organization
   */
  domainId?: string | undefined
}

export const NewApiKey = z
  .strictObject({
    role: z.enum(['admin', 'auth']).default('admin'),
    domainId: z.string().optional(),
  })
  // Users belong to the organization: a key that changes them in one domain changes them in all.
  .refine(
    (key) => key.role === 'auth' || key.domainId === undefined,
    'only keys of role auth can be limited to a domain',
  )

/** A key without its secret characters, which only its creator has seen. */
export interface ApiKey {
  readonly id: string
  readonly role: ApiKeyRole
  /** The only domain the key is valid for; null for all domains of the organization. */
  readonly domainId: string | null
  /** Unix time, seconds. */
  readonly createdAt: number
  /** The time of the last use, to the hour; null if never used. */
  readonly usedAt: number | null
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const length = 64

export const isApiKey = (text: string): boolean => /^[A-Za-z0-9]{64}$/.test(text)

export const newApiKey = (ctx: Pick<ServiceContext, 'random'>): string => randomText(ctx.random, alphabet, length)

/**
 * @param key A key that callers already use; a new one if absent.
 * @returns the key's characters too, which cannot be read again.
 */
export async function addApiKey(
  ctx: Acting,
  organizationId: string,
  input: NewApiKey,
  key: string = newApiKey(ctx),
): Promise<ApiKey & { key: string }> {
  const { db } = ctx.store
  const { role, domainId = null } = parseOptions(NewApiKey, 'createApiKey', input)
  if (domainId !== null && !(await domainById(db, organizationId, domainId))) {
    throw new RangeError('domainId: no such domain')
  }
  const added = { id: newId(ctx.random), role, domainId, createdAt: ctx.clock.now() }
  await inTransaction(db, async (tx) => {
    await insertApiKey(tx, { ...added, organizationId, hash: hashApiKey(key) })
    const facts = { apiKey: added.id, role, domain: domainId }
    await audit(tx, ctx, { event: 'api_key.created', organizationId, facts })
  })
  return { ...added, usedAt: null, key }
}

/** Oldest first. */
export async function listApiKeys(ctx: ServiceContext, organizationId: string): Promise<ApiKey[]> {
  const rows = await apiKeysOf(ctx.store.db, organizationId)
  return rows.map(({ id, role, domainId, createdAt, usedAt }) => ({ id, role, domainId, createdAt, usedAt }))
}

/** Takes effect with the next request, and ends event streams within seconds. @returns false if the organization has no such key. */
export function revokeApiKey(ctx: Acting, organizationId: string, id: string): Promise<boolean> {
  return inTransaction(ctx.store.db, async (db) => {
    const removed = await removeApiKey(db, organizationId, id)
    if (removed) await audit(db, ctx, { event: 'api_key.revoked', organizationId, facts: { apiKey: id } })
    return removed
  })
}
