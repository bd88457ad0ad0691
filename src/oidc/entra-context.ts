import type { Factor } from '../contract/factor.ts'
import { Factor as FactorSchema } from '../contract/factor.ts'
import { methods } from './authentication-methods.ts'
import type { FactorFacts } from './authentication-methods.ts'

/** The factors that can ever answer Entra. */
export const entraFactors: readonly Factor[] = FactorSchema.options.filter(
  (factor) => methods[factor].entraAmr({ hardware: false }).length > 0,
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
): string | undefined => methods[factor].entraAmr(facts).find((amr) => requested.includes(amr))

/** The factors that can meet a request. */
export const factorsFor = (requested: readonly string[]): Factor[] =>
  FactorSchema.options.filter((factor) =>
    [true, false].some((hardware) => entraAmr(factor, { hardware }, requested) !== undefined),
  )
