import type { ServiceContext } from '../../engine/context/service-context.ts'
import { resynchronizedStep } from './totp.ts'
import { useStep } from './statements.ts'
import { generatorOfHardware } from '../factors/possessions.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'

interface Shown {
  readonly userId: string
  /** Two codes that the token showed one after the other. */
  readonly codes: readonly [string, string]
}

/**
 * Corrects the remembered drift of a user's hardware token, in a transaction. Uses both codes up, so that no one who has heard
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
  const match = resynchronizedStep({ ...generator, seed }, codes, clock.now())
  if (!match || !(await useStep(db, id, match))) return 'wrong_codes'
  return { id }
}
