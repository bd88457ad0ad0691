import type { ServiceContext } from '../../engine/context/service-context.ts'
import { resynchronizedCounter } from './hotp.ts'
import { resynchronizedStep } from './totp.ts'
import { resynchronizeCounter, useStep } from './statements.ts'
import { generatorOfHardware } from '../factors/possessions.ts'
import type { CodeGeneratorRow } from './statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'

interface Shown {
  readonly userId: string
  /** Two codes that the token showed one after the other. */
  readonly codes: readonly [string, string]
}

/**
 * Corrects the remembered drift or counter of a user's hardware token, in a transaction. Uses both codes up, so that no one who has heard
 * them can sign in with them.
 */
export async function resynchronize(
  { clock, secrets }: Pick<ServiceContext, 'clock' | 'secrets'>,
  db: Queryable,
  { userId, codes }: Shown,
): Promise<{ readonly id: string } | 'no_token' | 'wrong_codes'> {
  const generator = await generatorOfHardware(db, userId)
  // The clocks of phones are right: codes of an app that are far away are old ones.
  if (generator?.selfEnrolled !== 0) return 'no_token'
  const { id } = generator
  const seed = secrets.open(generator.seed, { kind: 'seed', id, userId })
  return (await useBoth(db, { ...generator, seed }, codes, clock.now())) ? { id } : 'wrong_codes'
}

/** @returns false where they do not follow each other, or were used. */
async function useBoth(
  db: Queryable,
  generator: CodeGeneratorRow,
  codes: Shown['codes'],
  now: number,
): Promise<boolean> {
  const { id, counter } = generator
  if (counter === null) {
    const match = resynchronizedStep(generator, codes, now)
    return match !== undefined && useStep(db, id, match)
  }
  const next = resynchronizedCounter({ ...generator, counter }, codes)
  return next !== undefined && resynchronizeCounter(db, id, { next, at: now })
}
