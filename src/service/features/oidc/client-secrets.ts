import { createHash, timingSafeEqual } from 'node:crypto'

import { auditRefusal } from '../../engine/audit/refusals.ts'
import { networkOf } from '../../engine/base/network.ts'
import type { Random } from '../../engine/base/random.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import { noteAttempt, secondsUntilFree } from '../../engine/limits/attempts.ts'
import { organizationOfDomain } from '../domains/statements.ts'
import { oidcClientById } from './client-statements.ts'
import type { OidcClientRow } from './client-statements.ts'
import { secretLimit } from './models.ts'

/** 256 bits: nobody guesses it, so a plain hash protects it as well as a slow one would. */
export const newClientSecret = (random: Random): string => Buffer.from(random(32)).toString('base64url')

export const hashClientSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

export interface ClientSecretAttempt {
  readonly clientId: string
  readonly secret: string
  /** The address that the caller is counted by; undefined if unknown. */
  readonly address: string | undefined
}

/** `limited`: the secret is wrong as well, after too many wrong ones; none is counted for `wait` seconds. */
export type SecretResult =
  | { readonly result: 'right' | 'wrong' }
  | { readonly result: 'limited'; readonly wait: number }

/**
 * Verifies the secret of a client. Wrong ones are counted by client and address, and none of them has the right one refused: nobody
 * guesses 256 bits, and the client may share its address with strangers.
 */
export async function verifyClientSecret(ctx: ServiceContext, attempt: ClientSecretAttempt): Promise<SecretResult> {
  const { clientId, secret, address } = attempt
  const { db } = ctx.store
  const now = ctx.clock.now()
  const client = await oidcClientById(db, clientId)
  if (client && isRight(client, secret, now)) return { result: 'right' }
  const limit = { scope: `openid secret ${clientId} ${networkOf(address)}`, ...secretLimit }
  const wait = await secondsUntilFree(db, limit, now)
  if (wait > 0) return { result: 'limited', wait }
  if (client) {
    await inTransaction(db, (tx) => noteAttempt(tx, [limit], now))
    const organizationId = await organizationOfDomain(db, client.domainId)
    const facts = { client: client.id, domain: client.domainId }
    await auditRefusal(ctx, { event: 'oidc.secret_refused', organizationId, facts, address: address ?? null })
  }
  ctx.observer.openId('secret_refused')
  return { result: 'wrong' }
}

function isRight(client: OidcClientRow, secret: string, now: number): boolean {
  const { secretHash, formerSecretHash, formerSecretUntil } = client
  const former = formerSecretUntil !== null && formerSecretUntil > now ? formerSecretHash : null
  const presented = Buffer.from(hashClientSecret(secret))
  return [secretHash, former].some((hash) => hash !== null && timingSafeEqual(Buffer.from(hash), presented))
}
