import { z } from 'zod'

import { maxVerifiedAge } from '../../challenge/challenge.ts'
import { narrow } from '../../challenge/policy.ts'
import type { Policy } from '../../challenge/policy.ts'
import { RequestedUnknownBrowser } from '../../contract/browser-key.ts'
import { RequestedPhishingResistance } from '../../contract/phishing-resistance.ts'
import { attributeLimits } from '../../contract/sessions.ts'
import { Factor } from '../../contract/factor.ts'
import { parseOptions } from '../../contract/validate.ts'

/** Checks {@link Need}. */
export const NeedSchema = z.strictObject({
  maxAge: z.int().min(1).optional(),
  factors: z.array(Factor).min(1).optional(),
  phishingResistant: RequestedPhishingResistance.optional(),
  unknownBrowser: RequestedUnknownBrowser.optional(),
  purpose: z.string().trim().min(1).max(attributeLimits.purpose).optional(),
})

/** The second step that a route requires. */
export interface Need {
  /**
   * The maximum age of the second step, in seconds; at most 43,200.
   * @default any time since the user signed in
   */
  readonly maxAge?: number | undefined
  /**
   * The factors that count.
   * @default the option `factors` of `mfa()`
   */
  readonly factors?: readonly Factor[] | undefined
  /**
   * Whether only passkeys count: `'require'` for everyone, `'prefer'` for users who have one. The strictest of this, the
   * option of `mfa()` and the domain applies.
   * @default the option `phishingResistant` of `mfa()`
   */
  readonly phishingResistant?: RequestedPhishingResistance | undefined
  /**
   * What counts from a browser that the user does not keep: with `'passkey'` and `'deny'` nothing but a passkey, as with the
   * option of `mfa()`. The stricter of the two applies.
   * @default the option `unknownBrowser` of `mfa()`
   */
  readonly unknownBrowser?: RequestedUnknownBrowser | undefined
  /**
   * What users confirm, as a phrase that follows "to", such as `'change your password'`; at most 60 characters. The page and
   * the device show it. A verification is not limited to it: it also passes other routes that it is recent enough for.
   * @default none
   */
  readonly purpose?: string | undefined
}

/**
 * @param caller The function that takes these options.
 * @throws {TypeError} on unknown options, and where no factor could pass; {RangeError} when maxAge is over 43,200 s.
 */
export function readNeed(caller: string, options: Need): Need {
  const need = parseOptions(NeedSchema, caller, options)
  const { maxAge } = need
  if (maxAge !== undefined && maxAge > maxVerifiedAge) {
    throw new RangeError(
      `${caller}: maxAge is in seconds, at most ${maxVerifiedAge}; was ${maxAge} meant as milliseconds?`,
    )
  }
  for (const option of ['phishingResistant', 'unknownBrowser'] as const) {
    if (need[option] && need.factors?.includes('passkey') === false) {
      throw new TypeError(`${caller}: ${option} needs 'passkey' among factors`)
    }
  }
  return need
}

/** Narrows the policy of an app to what a route needs: once, because neither changes. */
export function narrowTo(need: Need): (app: Policy) => Policy {
  let last: { readonly app: Policy; readonly narrowed: Policy } | undefined
  return (app) => {
    if (last?.app !== app) last = { app, narrowed: narrow(app, need) }
    return last.narrowed
  }
}
