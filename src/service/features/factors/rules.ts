import { isHandedOver, isPhishingResistant, isStrong } from '../../../contract/factor-descriptions.ts'
import type { SessionPurpose } from '../../../contract/sessions.ts'
import { needsPasskey } from '../../../contract/phishing-resistance.ts'
import type { PhishingResistance } from '../../../contract/phishing-resistance.ts'
import type { ChangedFactor } from '../../../contract/factors.ts'
import type { Factor } from '../../../contract/factor.ts'
import { latestBeginning } from '../../engine/base/present.ts'

/** How long a pass for changing factors is valid, seconds. */
const changePassLifetime = 10 * 60

/** The facts that decide which factors may change another one. */
export interface OwnedFactors {
  /** Factors that the user can use in the domain now. */
  readonly inApp: readonly Factor[]
  /** Factors that the user can use in any domain. */
  readonly anywhere: readonly Factor[]
  /** Whether the user ever had a strong factor in any domain; only a reset clears this. */
  readonly everStrong: boolean
  /** The policy that applies. */
  readonly phishingResistant: PhishingResistance
}

/** The facts that decide whether a user may make recovery codes without a second approval. */
export interface FirstCodes {
  /** Whether the user ever had any. */
  readonly hadCodes: boolean
  /** Ids of the devices, tokens and passkeys that the user has, in every domain. */
  readonly factorIds: readonly string[]
}

/** A passed second step. */
export interface Pass {
  readonly purpose: SessionPurpose
  readonly factor: Factor | null
  /** Null for e-mail. */
  readonly factorId: string | null
  /** Unix time, seconds. */
  readonly settledAt: number
  /** Whether the same device, token or code still belongs to the user and is valid. */
  readonly inForce: boolean
}

/** The factors with which a user can pass to change a factor. */
export function factorsForChange(changed: ChangedFactor, factors: OwnedFactors): Factor[] {
  return factors.inApp.filter((factor) => isStrongEnough(factor, changed, factors))
}

/** Whether a pass may change a factor. */
export function mayChange(changed: ChangedFactor, pass: Pass, factors: OwnedFactors, now: number): boolean {
  return (
    // Users must know what they approve: a pass for signing in never changes a factor.
    pass.purpose === 'change_devices' &&
    isCurrent(pass, now) &&
    pass.factor !== null &&
    isStrongEnough(pass.factor, changed, factors)
  )
}

const isCurrent = (pass: Pass, now: number): boolean =>
  now - pass.settledAt <= changePassLifetime && pass.settledAt <= latestBeginning(now) && pass.inForce

/**
 * The one exception: a user who has just set up a first factor and signed in with it makes the first recovery codes without a second
 * approval. The pass comes from the only factor there is, so an attacker who got it approved could as well have enrolled that factor.
 */
export function mayMakeFirstCodes(pass: Pass, { hadCodes, factorIds }: FirstCodes, now: number): boolean {
  const [only] = factorIds
  return (
    pass.purpose === 'sign_in' && isCurrent(pass, now) && !hadCodes && factorIds.length === 1 && only === pass.factorId
  )
}

function isStrongEnough(factor: Factor, changed: ChangedFactor, factors: OwnedFactors): boolean {
  // A bypass code that replaces a missing passkey leads to a new one, and to nothing else.
  if (needsPasskey(factors.phishingResistant, factors.inApp.some(isPhishingResistant))) {
    return isPhishingResistant(factor) || (isHandedOver(factor) && changed === 'passkey')
  }
  if (isBehindPasskey(changed, factors)) return isPhishingResistant(factor) || isHandedOver(factor)
  return isStrong(factor) || mayAddFirst(changed, factors)
}

/**
 * Passkeys cannot be phished, so a user who has one changes passkeys only by a passkey or a recovery code: an attacker who gets
 * the user to approve a request must not be able to add a passkey. Recovery codes follow, because a new one would change passkeys.
 */
function isBehindPasskey(changed: ChangedFactor, { inApp, anywhere }: OwnedFactors): boolean {
  if (changed === 'passkey') return inApp.some(isPhishingResistant)
  return changed === 'codes' && anywhere.some(isPhishingResistant)
}

/** A weak factor can add the first strong one, and nothing after that. */
function mayAddFirst(changed: ChangedFactor, factors: OwnedFactors): boolean {
  // A device is valid in its own domain only. Other factors are valid everywhere, so strong factors of all domains count.
  const current = changed === 'device' ? factors.inApp : factors.anywhere
  return !factors.everStrong && !current.some(isStrong)
}
