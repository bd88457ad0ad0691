import type { OidcClient } from '../admin-contract/oidc-clients.ts'
import type { OidcKeys } from '../service/oidc-state.ts'
import type { TenantKeys } from './entra-keys.ts'
import type { EntraRequest } from './entra-request.ts'
import type { RoutesInput, Visit } from './visit.ts'

export interface EntraInput extends RoutesInput {
  readonly tenantKeys: TenantKeys
  /** The present keys of the provider. */
  readonly keys: () => OidcKeys
}

/** Where the answer to a request of Entra goes. */
export interface EntraReply {
  readonly input: EntraInput
  readonly req: Visit['req']
  readonly res: Visit['res']
  readonly client: OidcClient
  readonly redirectUri: string
  /** The parameter of the request, which Entra gets back. */
  readonly state: string | undefined
}

/** A request of Entra whose page is open in the browser that has brought it. */
export interface EntraInteraction extends EntraReply, Pick<Visit, 'entered' | 'base'> {
  readonly open: Pick<Visit['open'], 'uid' | 'client' | 'app'>
  /** The request as it was stored. */
  readonly request: Omit<EntraRequest, 'hint'> & {
    readonly redirectUri: string
    readonly sub: string
    readonly userId: string
  }
  /** Uses up the request. @throws {OidcStateError} where it was answered already. */
  readonly consume: () => Promise<void>
}
