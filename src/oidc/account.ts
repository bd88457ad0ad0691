import type { Account, KoaContextWithOIDC } from 'oidc-provider'

import { findMember } from '../challenge/user.ts'
import type { OidcState } from '../service/oidc-state.ts'
import type { SignInApps } from './sign-in-app.ts'

/** @returns undefined for a user who is no member of the client's domain, or not any more: nothing is issued for them. */
export async function findAccount(
  { state, apps }: { readonly state: OidcState; readonly apps: SignInApps },
  id: string,
  ctx: KoaContextWithOIDC | undefined,
): Promise<Account | undefined> {
  const clientId = ctx?.oidc.client?.clientId
  const client = clientId === undefined ? undefined : await state.client(clientId)
  const app = client && (await apps.find(client.kind, client.domain))
  const member = app && (await findMember(await app.connect(), { serviceUserId: id }))
  if (!member) return undefined
  const { username, name, email } = member
  return {
    accountId: id,
    claims: () => ({ sub: id, preferred_username: username, ...(name && { name }), ...(email && { email }) }),
  }
}
