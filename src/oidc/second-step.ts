import type { Verified } from '../challenge/challenge.ts'
import type { ConnectedService } from '../challenge/service.ts'
import type { OidcClientKind } from '../admin-contract/oidc-client-settings.ts'
import { describeAuthentication, factsOf, suits } from './authentication-context.ts'
import type { Acr } from './authentication-context.ts'
import type { Requirement } from './requirement.ts'
import { acrFor } from './requirement.ts'

/** What a second step is worth to a client. */
export type Worth =
  | { readonly kind: 'enough'; readonly acr: Acr; readonly amr: readonly string[] }
  /** It is no whole sign-in. */
  | { readonly kind: 'unsuitable' }
  /** The client requires another `acr`. */
  | { readonly kind: 'unmet' }

interface PassedStep {
  readonly userId: string
  readonly verified: Verified
  readonly kind: OidcClientKind
  readonly requirement: Requirement
}

/** Judges a second step that is recent enough. The page and requests that ask nobody decide by this alone. */
export async function worthOf(
  service: ConnectedService,
  { userId, verified, kind, requirement }: PassedStep,
): Promise<Worth> {
  const facts = await factsOf(service, userId, verified)
  if (!suits(kind, facts)) return { kind: 'unsuitable' }
  const { amr, acrs } = describeAuthentication(verified.factor, facts)
  const acr = acrFor(requirement, acrs)
  return acr === undefined ? { kind: 'unmet' } : { kind: 'enough', acr, amr }
}
