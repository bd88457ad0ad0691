import type { OidcClientKind } from '../admin-contract/oidc-client-settings.ts'
import type { Verified } from '../challenge/challenge.ts'
import { unlessRejected } from '../challenge/rejection.ts'
import type { ConnectedService } from '../challenge/service.ts'
import { isPhishingResistant } from '../contract/factor-descriptions.ts'
import type { Factor } from '../contract/factor.ts'
import { methods } from './authentication-methods.ts'
import type { FactorFacts } from './authentication-methods.ts'

/**
 * The values of `acr`, the strongest first. `phrh` and `phr` are those of OpenID Connect EAP ACR Values 1.0; the last one says that the
 * person passed the second step of this service, by whatever factor its settings accept.
 */
export const acrValues = ['phrh', 'phr', 'urn:second-factor:second-step'] as const

export type Acr = (typeof acrValues)[number]

export const isAcr = (value: string): value is Acr => acrValues.some((acr) => acr === value)

/** Whether only a passkey gives this `acr`. */
export const needsPasskey = (acr: Acr): boolean => acr !== 'urn:second-factor:second-step'

/** How a person was authenticated, in the words of OpenID Connect. */
export interface AuthenticationContext {
  readonly amr: readonly string[]
  /** All values of `acr` that are true, the strongest first. */
  readonly acrs: readonly Acr[]
}

export function describeAuthentication(factor: Factor, facts: FactorFacts): AuthenticationContext {
  const resists = isPhishingResistant(factor)
  const isTrue: Readonly<Record<Acr, boolean>> = {
    phrh: resists && facts.hardware,
    phr: resists,
    'urn:second-factor:second-step': true,
  }
  return { amr: methods[factor].amr(facts), acrs: acrValues.filter((acr) => isTrue[acr]) }
}

/**
 * Whether what was passed is enough for a client of this kind. In a whole sign-in nobody has checked a password, so the authenticator has
 * to have verified the person: without that, whoever holds the passkey would sign in.
 */
export const suits = (kind: OidcClientKind, { userVerified }: FactorFacts): boolean =>
  kind !== 'sign-in' || userVerified

/** Asks the service what it knows of the factor of a second step. What it does not say is not claimed. */
export async function factsOf(service: ConnectedService, userId: string, verified: Verified): Promise<FactorFacts> {
  const { client, domainId } = service
  const { sessionId, factorId } = verified
  const session =
    sessionId && (await unlessRejected(client.sessions.get(domainId, sessionId), 'api.error.notfound.session'))
  return {
    userVerified: session ? session.userVerified === true : false,
    hardware: factorId === undefined ? false : await methods[verified.factor].isHardware(service, { userId, factorId }),
  }
}
