import type { ServiceContext } from '../../engine/context/service-context.ts'
import { UnsealError } from '../../engine/secrets/sealing.ts'
import { judgeCode } from './totp.ts'
import type { CodeSource, Verdict } from './totp.ts'
import { generatorsOf, rememberStep, useStep } from './statements.ts'
import type { CodeGeneratorRow } from './statements.ts'
import type { DomainRow } from '../domains/statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'

type Context = Pick<ServiceContext, 'clock' | 'secrets'>

/**
 * Finds the user's hardware token, or the user's device in the domain, that currently shows the code. Uses the code up.
 * @returns its id; undefined if neither shows the code.
 */
export async function checkTimedCode(
  ctx: Context,
  db: Queryable,
  { userId, domain, code }: { userId: string; domain: DomainRow; code: string },
): Promise<string | undefined> {
  const uses: { readonly id: string; readonly step: number }[] = []
  let fault: UnsealError | undefined
  const generators = await generatorsOf(db, domain.id, userId)
  const hardware = generators.find(({ selfEnrolled }) => selfEnrolled !== null)
  const device = generators.find(({ selfEnrolled }) => selfEnrolled === null)
  const sources = [
    { generator: hardware, resynchronizes: hardware?.selfEnrolled === 0 },
    // The app shows the codes of the device by the clock of a phone, so codes far away are of no interest.
    { generator: device, resynchronizes: false, nearestOnly: true },
  ]
  // Both sources are compared before either one counts, so that the time does not tell which one shows the code.
  for (const result of sources.map((source) => tryToJudge(ctx, { ...source, userId }, code))) {
    if (result instanceof UnsealError) fault = result
    // The conditional update decides: if the same code is used several times at once, one succeeds.
    else if (result.verdict.outcome === 'accepted' && (await useStep(db, result.id, result.verdict))) return result.id
    else if (result.verdict.outcome === 'seen') uses.push({ id: result.id, step: result.verdict.step })
  }
  // A damaged seed is an internal error and not a wrong code of the user. The other source has been checked.
  if (fault) throw fault
  for (const { id, step } of uses) await rememberStep(db, id, { step, at: ctx.clock.now() })
  return undefined
}

interface Judged {
  readonly id: string
  readonly verdict: Verdict
}

interface Source extends Pick<CodeSource, 'resynchronizes' | 'nearestOnly'> {
  readonly generator: CodeGeneratorRow | undefined
  /** The user who entered the code: values sealed for another user do not open. */
  readonly userId: string
}

function tryToJudge(ctx: Context, source: Source, code: string): Judged | UnsealError {
  try {
    return judge(ctx, source, code)
  } catch (error) {
    if (error instanceof UnsealError) return error
    throw error
  }
}

function judge({ secrets, clock }: Context, { generator, userId, ...kind }: Source, code: string): Judged {
  // Without a generator, the same work is done, so that timing reveals nothing.
  if (!generator) return { id: '', verdict: asWrong(judgeCode({ ...dummySource, ...kind }, code, clock.now())) }
  const seed = secrets.open(generator.seed, { kind: 'seed', id: generator.id, userId })
  return { id: generator.id, verdict: judgeCode({ ...generator, ...kind, seed }, code, clock.now()) }
}

const asWrong = (_verdict: Verdict): Verdict => ({ outcome: 'wrong' })

const dummySource: Omit<CodeSource, 'resynchronizes'> = {
  seed: '00'.repeat(20),
  digits: 6,
  period: 30,
  lastStep: -1,
  drift: 0,
  seenStep: null,
  seenAt: null,
}
