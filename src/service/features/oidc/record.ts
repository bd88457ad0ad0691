import { audit } from '../../engine/audit/audit.ts'
import { auditRefusal } from '../../engine/audit/refusals.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import { organizationOfDomain } from '../domains/statements.ts'
import { oidcClientById } from './client-statements.ts'

/** What happened at the provider. */
export type OidcEvent = {
  readonly clientId: string
  readonly address?: string | undefined
} & (
  | {
      /** The client gets an authorization code. */
      readonly event: 'signed_in'
      readonly userId: string
      readonly acr?: string | undefined
      readonly amr: readonly string[]
    }
  | {
      /**
       * The client gets an error: that of RFC 6749 or OpenID Connect, such as `unmet_authentication_requirements`. Or `wrong_code`: somebody
       * has typed a username and a code that does not count.
       */
      readonly event: 'refused'
      readonly reason: string
    }
)

/** Writes an audit entry, and counts it. Entries about refusals are limited, because anyone can cause them. */
export async function recordOidcEvent(ctx: ServiceContext, happened: OidcEvent): Promise<void> {
  ctx.observer.openId(happened.event)
  const { db } = ctx.store
  const client = await oidcClientById(db, happened.clientId)
  if (!client) return
  const organizationId = await organizationOfDomain(db, client.domainId)
  const base = { organizationId, address: happened.address ?? null }
  const facts = { client: client.id, domain: client.domainId }
  if (happened.event === 'refused') {
    const error = /^[a-z_]{1,64}$/.test(happened.reason) ? happened.reason : 'server_error'
    return auditRefusal(ctx, { ...base, event: 'oidc.refused', facts: { ...facts, error } })
  }
  const { userId: user, acr = '', amr } = happened
  const signedIn = { ...facts, user, acr, amr: amr.join(' ') }
  await inTransaction(db, (tx) => audit(tx, ctx, { ...base, event: 'oidc.signed_in', facts: signedIn }))
}
