import type { ServiceContext } from '../../engine/context/service-context.ts'
import { UnsealError } from '../../engine/secrets/sealing.ts'
import { judgeCounter } from './hotp.ts'
import { judgeWithin } from './totp.ts'
import type { CodeSource, Reach } from './totp.ts'
import { generatorsOf, rememberCounter, rememberStep, useCounter, useStep } from './statements.ts'
import type { CodeGeneratorRow } from './statements.ts'
import type { DomainRow } from '../domains/statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'

type Context = Pick<ServiceContext, 'clock' | 'secrets'>

/**
 * Finds the user's hardware token, or the user's device in the domain, that shows the code. Uses the code up.
 * @returns its id; undefined if neither shows the code.
 */
export async function checkGeneratedCode(
  ctx: Context,
  db: Queryable,
  { userId, domain, code }: { userId: string; domain: DomainRow; code: string },
): Promise<string | undefined> {
  const generators = await generatorsOf(db, domain.id, userId)
  const hardware = generators.find(({ selfEnrolled }) => selfEnrolled !== null)
  const device = generators.find(({ selfEnrolled }) => selfEnrolled === null)
  const token = openSource(ctx, userId, hardware, hardware?.selfEnrolled === 0)
  const phone = openSource(ctx, userId, device, false)
  const now = ctx.clock.now()
  // Both are compared before either one counts, so that timing does not tell which one shows the code.
  const near = [token, phone].map((source) => ({ source, result: judge('near', source, code, now) }))
  for (const { source, result } of near) if (await result.acceptOnce?.(db)) return source.id
  // Also for users without a hardware token, so that timing does not tell who has one.
  const far = judge('far', token, code, now)
  if (await far.acceptOnce?.(db)) return token.id
  // A damaged seed is an internal error and not a wrong code of the user. The other source has been checked.
  const fault = token.fault ?? phone.fault
  if (fault) throw fault
  await far.remember?.(db)
  return undefined
}

/** A source whose seed was opened. Without one, the same work is done for a made-up source, which shows no code. */
interface OpenSource {
  readonly id: string
  readonly source: (CodeSource & Pick<CodeGeneratorRow, 'counter' | 'seenCounter'>) | undefined
  /** Why the seed could not be opened. */
  readonly fault?: UnsealError
}

/** @param userId The user who entered the code: values sealed for another user do not open. */
function openSource(
  { secrets }: Context,
  userId: string,
  generator: CodeGeneratorRow | undefined,
  resynchronizes: boolean,
): OpenSource {
  if (!generator) return { id: '', source: undefined }
  const { id } = generator
  try {
    return {
      id,
      source: { ...generator, resynchronizes, seed: secrets.open(generator.seed, { kind: 'seed', id, userId }) },
    }
  } catch (error) {
    if (error instanceof UnsealError) return { id, source: undefined, fault: error }
    throw error
  }
}

/** What a code means for its source. A wrong one means nothing. */
interface Result {
  /** Marks the code as used. The conditional update decides: if the same code is used several times at once, one succeeds. */
  readonly acceptOnce?: (db: Queryable) => Promise<boolean>
  /** Remembers a code that is denied, and may be the first of two that follow each other. */
  readonly remember?: (db: Queryable) => Promise<void>
}

function judge(reach: Reach, { id, source }: OpenSource, code: string, now: number): Result {
  if (source && source.counter !== null) {
    const verdict = judgeCounter(reach, { ...source, counter: source.counter }, code, now)
    if (verdict.outcome === 'accepted')
      return { acceptOnce: (db) => useCounter(db, id, { next: verdict.next, at: now }) }
    if (verdict.outcome === 'seen')
      return { remember: (db) => rememberCounter(db, id, { seen: verdict.counter, at: now }) }
    return {}
  }
  const verdict = judgeWithin(reach, source ?? dummySource, code, now)
  if (!source || verdict.outcome === 'wrong') return {}
  return verdict.outcome === 'accepted'
    ? { acceptOnce: (db) => useStep(db, id, verdict) }
    : { remember: (db) => rememberStep(db, id, { step: verdict.step, at: now }) }
}

const dummySource: CodeSource = {
  seed: '00'.repeat(20),
  algorithm: 'SHA1',
  digits: 6,
  period: 30,
  lastStep: -1,
  drift: 0,
  seenStep: null,
  seenAt: null,
  resynchronizes: false,
}
