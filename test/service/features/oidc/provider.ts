import { randomUUID } from 'node:crypto'

import type { NewOidcClient } from '../../../../src/admin-contract/oidc-client-settings.ts'
import type { User } from '../../../../src/contract/users.ts'
import type { ServiceContext } from '../../../../src/service/engine/context/service-context.ts'
import { addOidcClient } from '../../../../src/service/features/oidc/clients.ts'
import { oidcStateOf } from '../../../../src/service/oidc-state.ts'
import type { OidcState } from '../../../../src/service/oidc-state.ts'
import { openedFor } from '../../../../src/service/opened-for.ts'
import { newUser } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

export const callback = 'https://app.example.com/callback'

/** The context of a service. */
export async function contextOf({ service }: Pick<Running, 'service'>): Promise<ServiceContext> {
  const open = openedFor(service)
  if (!open) throw new Error('It is no service.')
  return (await open()).service.ctx
}

/** What a provider keeps, a client of it, and a user. */
export async function provider(running: Running, settings: Partial<NewOidcClient> = {}) {
  const ctx = await contextOf(running)
  const state = oidcStateOf(running.service)
  const key = { organizationId: running.organization.id, domainId: running.domain.id }
  const registered = await addOidcClient(ctx, key, {
    name: 'Wiki',
    kind: 'sign-in',
    redirectUris: [callback],
    ...settings,
  })
  const user: User = (await running.call('POST', '/users', { body: newUser(`person-${randomUUID()}`) })).json
  await running.call('PUT', `/domains/${key.domainId}/users/${user.id}`)
  return { ctx, state, user, ...registered, key: { ...key, id: registered.client.id } }
}

interface SigningIn {
  readonly accountId: string
  readonly clientId: string
  /** By default the one that the user has as long as it never changed. */
  readonly epoch?: string
}

/** What oidc-provider stores while a user signs in: an interaction, then a session, a grant, and a code. */
export function signIn(state: OidcState, { accountId, clientId, epoch = accountId }: SigningIn) {
  const id = { interaction: randomUUID(), session: randomUUID(), grant: randomUUID(), code: randomUUID() }
  const uid = randomUUID()
  const login = { accountId, epoch, ts: 1, amr: ['swk'] }
  const interaction = { kind: 'Interaction', params: { client_id: clientId }, session: {} }
  return {
    id,
    uid,
    begin: () => state.adapter('Interaction').upsert(id.interaction, interaction, 600),
    finish: () => state.adapter('Interaction').upsert(id.interaction, { ...interaction, result: { login } }, 600),
    resume: () => state.adapter('Interaction').destroy(id.interaction),
    session: () => state.adapter('Session').upsert(id.session, { kind: 'Session', uid, accountId }, 3600),
    grant: () => state.adapter('Grant').upsert(id.grant, { kind: 'Grant', accountId, clientId }, 3600),
    code: () => state.adapter('AuthorizationCode').upsert(id.code, { accountId, clientId, grantId: id.grant }, 60),
    async all() {
      await this.begin()
      await this.finish()
      await this.resume()
      await this.session()
      await this.grant()
      await this.code()
    },
    /** Which of them are there. */
    async left() {
      const found = await Promise.all([
        state.adapter('Session').find(id.session),
        state.adapter('Grant').find(id.grant),
        state.adapter('AuthorizationCode').find(id.code),
      ])
      return found.filter((payload) => payload !== undefined).length
    },
  }
}
