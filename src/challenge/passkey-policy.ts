import { needsPasskey, stricter } from '../contract/phishing-resistance.ts'
import type { PhishingResistance } from '../contract/phishing-resistance.ts'
import type { User } from '../contract/users.ts'
import type { ConnectedService } from './service.ts'

/** A user as the service knows it; undefined where the user is no member of the domain. */
export interface Membership {
  readonly service: Pick<ConnectedService, 'domainId'>
  readonly member: User | undefined
}

/** The policy of the domain. An older service does not say it, and enforces it alone. */
export function domainPolicy({ service, member }: Membership): PhishingResistance {
  return member?.phishingResistant?.[service.domainId] ?? 'off'
}

/**
 * Whether the user can pass by nothing but a passkey, as the service decides it.
 *
 * @param policy That of the app and the route.
 * @param rpId The relying party of the app; where browsers accept none, passkeys for any app count.
 */
export function isPasskeyNeeded(membership: Membership, policy: PhishingResistance, rpId: string | undefined): boolean {
  const { passkeys = [] } = membership.member ?? {}
  const hasPasskey = rpId === undefined ? passkeys.length > 0 : passkeys.includes(rpId)
  return needsPasskey(stricter(policy, domainPolicy(membership)), hasPasskey)
}
