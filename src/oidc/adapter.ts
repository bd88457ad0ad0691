import type { Adapter, errors } from 'oidc-provider'

import type { OidcAdapter, OidcState } from '../service/oidc-state.ts'
import { OidcStateError } from '../service/features/oidc/state-error.ts'
import { translateOutage } from './outage.ts'
import type { Packages } from './packages.ts'
import { strangerOf } from './request-address.ts'

type Errors = typeof errors

/**
 * The storage of the provider in the store of the service. What the store refuses becomes an error of the protocol.
 *
 * @returns a function for the option `adapter` of oidc-provider.
 */
export function createAdapters(state: OidcState, openid: Packages['openid']): (model: string) => Adapter {
  const { Provider, errors: known } = openid
  return (model) => {
    const refuse = refusalOf(model, known)
    const translate = (error: unknown) =>
      error instanceof OidcStateError ? refuse(error) : translateOutage(openid, error)
    return translating(
      state.adapter(model, () => strangerOf(Provider.ctx)),
      translate,
    )
  }
}

function translating(adapter: OidcAdapter, errorOf: (error: unknown) => unknown): Adapter {
  const translate = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call
    } catch (error) {
      throw errorOf(error)
    }
  }
  return {
    upsert: (...args) => translate(adapter.upsert(...args)),
    find: (id) => translate(adapter.find(id)),
    findByUid: (uid) => translate(adapter.findByUid(uid)),
    // Only the device flow has such codes (RFC 8628), which is off.
    findByUserCode: () => Promise.resolve(undefined),
    consume: (id) => translate(adapter.consume(id)),
    destroy: (id) => translate(adapter.destroy(id)),
    revokeByGrantId: (grantId) => translate(adapter.revokeByGrantId(grantId)),
  }
}

/** Written while a person signs in; everything else of a person is written for a client that presents something. */
const duringSignIn = new Set(['Interaction', 'Session', 'Grant', 'AuthorizationCode'])

function refusalOf(model: string, { AccessDenied, InvalidClient, InvalidGrant, InvalidRequestUri, ...rest }: Errors) {
  const { TemporarilyUnavailable, InvalidRequest } = rest
  return ({ code, message }: OidcStateError): Error => {
    if (code === 'full') return new TemporarilyUnavailable(message)
    if (code === 'too_large') return new InvalidRequest(message)
    // Two requests have presented the same thing at the same moment, and this one came second.
    if (code === 'used' && model === 'ReplayDetection') return new InvalidClient(message)
    if (code === 'used' && model === 'PushedAuthorizationRequest') return new InvalidRequestUri(message)
    if (code === 'ended' && duringSignIn.has(model)) return new AccessDenied(message)
    return new InvalidGrant(message)
  }
}
