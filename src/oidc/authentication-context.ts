import type { OidcClientKind } from '../admin-contract/oidc-client-settings.ts'
import type { Verified } from '../challenge/challenge.ts'
import { unlessRejected } from '../challenge/rejection.ts'
import type { ConnectedService } from '../challenge/service.ts'
import { isPhishingResistant } from '../contract/factor-descriptions.ts'
import type { Factor } from '../contract/factor.ts'

/**
 * The values of `acr`, the strongest first. `phrh` and `phr` are those of OpenID Connect EAP ACR Values 1.0; the last one says that the
 * person passed the second step of this service, by whatever factor its settings accept.
 */
export const acrValues = ['phrh', 'phr', 'urn:second-factor:second-step'] as const

export type Acr = (typeof acrValues)[number]

export const isAcr = (value: string): value is Acr => acrValues.some((acr) => acr === value)

/** Whether only a passkey gives this `acr`. */
export const needsPasskey = (acr: Acr): boolean => acr !== 'urn:second-factor:second-step'

/** What is known of a factor that was used. */
export interface FactorFacts {
  /** Whether its authenticator has verified the person, by a PIN or biometrics. */
  readonly userVerified: boolean
  /** Whether its secret cannot leave its device: a passkey that is not synced, or a hardware token. */
  readonly hardware: boolean
}

/**
 * The values of `amr` for each factor (RFC 8176 section 2). They name what this service has seen itself: the password that a client has
 * checked is not ours to claim.
 */
const methods = {
  passkey: ({ userVerified, hardware }) => [hardware ? 'hwk' : 'swk', 'user', ...(userVerified ? ['mfa'] : [])],
  push: () => ['swk'],
  otp: ({ hardware }) => ['otp', ...(hardware ? ['hwk'] : [])],
  email: () => ['urn:second-factor:email'],
  bypass: () => ['urn:second-factor:recovery'],
} as const satisfies Readonly<Record<Factor, (facts: FactorFacts) => readonly string[]>>

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
  return { amr: methods[factor](facts), acrs: acrValues.filter((acr) => isTrue[acr]) }
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
    hardware: factorId === undefined ? false : await isHardware[verified.factor](service, { userId, factorId }),
  }
}

/** A factor that was used, and whose. */
interface UsedFactor {
  readonly userId: string
  readonly factorId: string
}

/** Whether the service knows that the secret of a factor cannot leave its device. */
const isHardware = {
  async passkey({ client, domainId }, { userId, factorId }) {
    const passkeys = await client.passkeys.list(domainId, userId)
    return passkeys.some(({ id, syncable }) => id === factorId && !syncable)
  },
  async otp({ client }, { userId, factorId }) {
    const token = await unlessRejected(client.hardware.getOfUser(userId), 'api.error.notfound.hardware')
    return token?.id === factorId && token.selfEnrolled !== true
  },
  push: unknown,
  email: unknown,
  bypass: unknown,
} as const satisfies Readonly<Record<Factor, (service: ConnectedService, used: UsedFactor) => Promise<boolean>>>

function unknown(): Promise<boolean> {
  return Promise.resolve(false)
}
