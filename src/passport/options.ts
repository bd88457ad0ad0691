import { z } from 'zod'

import { parseOptions } from '../contract/validate.ts'

/** What the strategy takes. */
const MfaStrategyOptions = z.strictObject({
  /** The field of a posted body that holds a code to check at once; false: people are always led to the challenge. */
  codeField: z
    .custom<string | false>(
      (value) => value === false || (typeof value === 'string' && value !== ''),
      'must be the name of a field, or false',
    )
    .default('code'),
})
export type MfaStrategyOptions = z.input<typeof MfaStrategyOptions>
export type ResolvedStrategyOptions = Readonly<z.output<typeof MfaStrategyOptions>>

/** @throws {TypeError} that names the option and what to write there. */
export function resolveStrategyOptions(options: MfaStrategyOptions): ResolvedStrategyOptions {
  return parseOptions(MfaStrategyOptions, 'MfaStrategy', options)
}
