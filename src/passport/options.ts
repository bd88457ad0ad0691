import { z } from 'zod'

import { parseOptions } from '../contract/validate.ts'

/** The options of `new MfaStrategy()`. */
export interface MfaStrategyOptions {
  /**
   * The field of a posted body that contains a code. With `false`, users always go to the challenge page.
   * @default `'code'`
   */
  codeField?: string | false | undefined
}

export const MfaStrategyOptions = z.strictObject({
  codeField: z
    .custom<string | false>(
      (value) => value === false || (typeof value === 'string' && value !== ''),
      'must be the name of a field, or false',
    )
    .default('code'),
})
export type ResolvedStrategyOptions = Readonly<z.output<typeof MfaStrategyOptions>>

/** @throws {TypeError} that names the option and what to write there. */
export function resolveStrategyOptions(options: MfaStrategyOptions): ResolvedStrategyOptions {
  return parseOptions(MfaStrategyOptions, 'MfaStrategy', options)
}
