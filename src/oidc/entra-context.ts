import type { Factor } from '../contract/factor.ts'
import { Factor as FactorSchema } from '../contract/factor.ts'
import type { FactorFacts } from './authentication-context.ts'

/**
 * The values of `amr` of Microsoft Entra that are true of each factor, the most telling first. None says "a code by e-mail" or "a code of
 * an administrator", so those two never answer Entra.
 *
 * @see Microsoft, "External authentication method provider reference", "Supported amr claims"
 */
const methods = {
  passkey: ({ hardware }) => ['fido', hardware ? 'hwk' : 'swk', 'pop'],
  push: () => ['swk', 'pop'],
  otp: () => ['otp'],
  email: () => [],
  bypass: () => [],
} as const satisfies Readonly<Record<Factor, (facts: Pick<FactorFacts, 'hardware'>) => readonly string[]>>

/** The factors that can ever answer Entra. */
export const entraFactors: readonly Factor[] = FactorSchema.options.filter(
  (factor) => methods[factor]({ hardware: false }).length > 0,
)

/** Each of those values is of the type "possession", which meets these requests. */
const metByPossession: ReadonlySet<string> = new Set([
  'possessionorinherence',
  'knowledgeorpossession',
  'knowledgeorpossessionorinherence',
  'possession',
])

/** The first requested `acr` that a possession meets. @returns undefined if there is none. */
export const entraAcr = (requested: readonly string[]): string | undefined =>
  requested.find((acr) => metByPossession.has(acr))

/** The one value of `amr` to return for a factor: the first that is true and requested. @returns undefined if there is none. */
export const entraAmr = (
  factor: Factor,
  facts: Pick<FactorFacts, 'hardware'>,
  requested: readonly string[],
): string | undefined => methods[factor](facts).find((amr) => requested.includes(amr))

/** The factors that can meet a request. */
export const factorsFor = (requested: readonly string[]): Factor[] =>
  FactorSchema.options.filter((factor) =>
    [true, false].some((hardware) => entraAmr(factor, { hardware }, requested) !== undefined),
  )
