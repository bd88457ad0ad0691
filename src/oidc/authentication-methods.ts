import { unlessRejected } from '../challenge/rejection.ts'
import type { ConnectedService } from '../challenge/service.ts'
import type { Factor } from '../contract/factor.ts'

/** What is known of a factor that was used. */
export interface FactorFacts {
  /** Whether its authenticator has verified the person, by a PIN or biometrics. */
  readonly userVerified: boolean
  /** Whether its secret cannot leave its device: a passkey that is not synced, or a hardware token. */
  readonly hardware: boolean
}

/** A factor that was used, and whose. */
interface UsedFactor {
  readonly userId: string
  readonly factorId: string
}

/** What OpenID Connect says of a factor. */
interface AuthenticationMethod {
  /**
   * The values of `amr` (RFC 8176 section 2). They name what this service has seen itself: the password that a client has checked is not
   * ours to claim.
   */
  amr(facts: FactorFacts): readonly string[]
  /**
   * The values of `amr` of Microsoft Entra that are true of it, the most telling first. None says "a code by e-mail" or "a code of an
   * administrator", so those two never answer Entra.
   *
   * @see Microsoft, "External authentication method provider reference", "Supported amr claims"
   */
  entraAmr(facts: Pick<FactorFacts, 'hardware'>): readonly string[]
  /** Whether the service knows that its secret cannot leave its device. */
  isHardware(service: ConnectedService, used: UsedFactor): Promise<boolean>
}

const unknown = (): Promise<boolean> => Promise.resolve(false)

export const methods = {
  passkey: {
    amr: ({ userVerified, hardware }) => [hardware ? 'hwk' : 'swk', 'user', ...(userVerified ? ['mfa'] : [])],
    entraAmr: ({ hardware }) => ['fido', hardware ? 'hwk' : 'swk', 'pop'],
    async isHardware({ client, domainId }, { userId, factorId }) {
      const passkeys = await client.passkeys.list(domainId, userId)
      return passkeys.some(({ id, syncable }) => id === factorId && !syncable)
    },
  },
  push: { amr: () => ['swk'], entraAmr: () => ['swk', 'pop'], isHardware: unknown },
  otp: {
    amr: ({ hardware }) => ['otp', ...(hardware ? ['hwk'] : [])],
    entraAmr: () => ['otp'],
    async isHardware({ client }, { userId, factorId }) {
      const token = await unlessRejected(client.hardware.getOfUser(userId), 'api.error.notfound.hardware')
      return token?.id === factorId && token.selfEnrolled !== true
    },
  },
  email: { amr: () => ['urn:second-factor:email'], entraAmr: () => [], isHardware: unknown },
  bypass: { amr: () => ['urn:second-factor:recovery'], entraAmr: () => [], isHardware: unknown },
} as const satisfies Readonly<Record<Factor, AuthenticationMethod>>
