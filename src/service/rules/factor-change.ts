import type { SessionPurpose } from '../../contract/sessions.ts'
import type { ChangedFactor } from '../../contract/factors.ts'
import type { Factor } from '../../contract/users.ts'
import { latestBeginning } from './present.ts'

/** How long a pass for changing factors counts, seconds. */
export const changePassLifetime = 10 * 60

/** What decides which factors may change another one. */
export interface OwnedFactors {
  /** What the user can pass with in the domain, now. */
  readonly here: readonly Factor[]
  /** What the user can pass with in any domain. */
  readonly anywhere: readonly Factor[]
  /** Whether the user ever had a strong factor, in whatever domain; only a reset forgets it. */
  readonly everStrong: boolean
}

/** A second step that was passed. */
export interface Pass {
  readonly purpose: SessionPurpose
  readonly factor: Factor | null
  /** Unix time, seconds. */
  readonly settledAt: number
  /** Whether the very device, token or code it was passed with is still the user's and valid. */
  readonly inForce: boolean
}

/** What somebody who wants to change a factor can pass with. */
export function factorsForChange(changed: ChangedFactor, owned: OwnedFactors): Factor[] {
  return owned.here.filter((factor) => isStrongEnough(factor, changed, owned))
}

/** Whether a pass may change a factor. */
export function mayChange(changed: ChangedFactor, pass: Pass, owned: OwnedFactors, now: number): boolean {
  return (
    // The person has to know what they approve: a pass for signing in never changes anything.
    pass.purpose === 'change_devices' &&
    now - pass.settledAt <= changePassLifetime &&
    pass.settledAt <= latestBeginning(now) &&
    pass.inForce &&
    pass.factor !== null &&
    isStrongEnough(pass.factor, changed, owned)
  )
}

/** E-mail is weaker than everything else: it adds the first factor and nothing after that. */
function isStrongEnough(factor: Factor, changed: ChangedFactor, owned: OwnedFactors): boolean {
  if (isStrong(factor)) return true
  // A device answers for its domain alone. Everything else passes in every domain, so strong factors of all domains count.
  const present = changed === 'device' ? owned.here : owned.anywhere
  return !owned.everStrong && !present.some(isStrong)
}

const isStrong = (factor: Factor): boolean => factor !== 'email'
