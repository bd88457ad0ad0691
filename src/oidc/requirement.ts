import type { Verified } from '../challenge/challenge.ts'
import { isPhishingResistant } from '../contract/factor-descriptions.ts'
import { parseJson } from '../contract/validate.ts'
import type { Acr } from './authentication-context.ts'
import { isAcr, needsPasskey } from './authentication-context.ts'

/** The parameters of an authorization request, as oidc-provider keeps them. */
export type AuthorizationParameters = Readonly<Record<string, unknown>>

/** What an authorization request requires of the second step. */
export interface Requirement {
  /** Whether a second step that was passed before the request does not count (`prompt=login`, `max_age=0`). */
  readonly fresh: boolean
  /** The maximum age of the second step, seconds. */
  readonly maxAge: number | undefined
  /** The values of `acr` that the client prefers or requires, in its order, whether we know them or not. */
  readonly acrs: readonly string[]
  /** Whether one of them has to be met (OpenID Connect Core 1.0 section 5.5.1.1). */
  readonly essential: boolean
  /** The user who has to sign in, by id, where the client names one. */
  readonly subject: string | undefined
}

export function requirementOf(params: AuthorizationParameters): Requirement {
  const maxAge = params['max_age'] === undefined ? undefined : Number(params['max_age'])
  const idToken = idTokenClaimsOf(params)
  const essentialAcrs = idToken.acr?.essential === true ? valuesOf(idToken.acr) : []
  const essential = essentialAcrs.length > 0
  const preferred = wordsOf(params['acr_values'])
  return {
    fresh: wordsOf(params['prompt']).includes('login') || maxAge === 0,
    maxAge,
    acrs: essential ? essentialAcrs : [...preferred, ...valuesOf(idToken.acr ?? {})],
    essential,
    subject: typeof idToken.sub?.value === 'string' ? idToken.sub.value : undefined,
  }
}

const wordsOf = (value: unknown): string[] => (typeof value === 'string' ? value.split(' ').filter(Boolean) : [])

/** A claim that is requested (OpenID Connect Core 1.0 section 5.5.1). */
interface RequestedClaim {
  readonly essential?: unknown
  readonly value?: unknown
  readonly values?: unknown
}

function idTokenClaimsOf(params: AuthorizationParameters): Partial<Record<'acr' | 'sub', RequestedClaim | null>> {
  const claims = typeof params['claims'] === 'string' ? parseJson(params['claims']) : undefined
  const idToken: unknown = Object(claims)['id_token']
  return Object(idToken) as Partial<Record<'acr' | 'sub', RequestedClaim | null>>
}

function valuesOf({ value, values }: RequestedClaim): string[] {
  const all: readonly unknown[] = Array.isArray(values) ? values : [value]
  return all.filter((each) => typeof each === 'string')
}

/** Whether none of the required values of `acr` can ever be met here. */
export const isUnknown = ({ essential, acrs }: Requirement): boolean => essential && !acrs.some(isAcr)

/** Whether only a passkey meets what the client asks for, and whether it insists on that. */
export function passkeyDemand({ acrs, essential }: Requirement): 'require' | 'prefer' | undefined {
  const known = acrs.filter(isAcr)
  if (known.length === 0 || !known.every(needsPasskey)) return undefined
  return essential ? 'require' : 'prefer'
}

/**
 * Whether the second step of this browser leaves the request unmet, so that a person has to pass it again.
 *
 * @param now Unix time, seconds.
 */
export function needsNewStep(requirement: Requirement, verified: Verified, now: number): boolean {
  const { fresh, maxAge } = requirement
  if (fresh || (maxAge !== undefined && now - verified.at > maxAge)) return true
  return passkeyDemand(requirement) !== undefined && !isPhishingResistant(verified.factor)
}

/**
 * The `acr` to return: the first one that the client asks for and that is true, or else the strongest.
 *
 * @returns undefined if the client requires others.
 */
export function acrFor({ acrs, essential }: Requirement, met: readonly Acr[]): Acr | undefined {
  const requested = acrs.filter(isAcr).find((acr) => met.includes(acr))
  return requested ?? (essential ? undefined : met[0])
}
