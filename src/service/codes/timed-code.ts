import type { ServiceContext } from '../context/service-context.ts'
import { UnsealError } from '../sealing/sealing.ts'
import { judgeCode } from '../rules/totp.ts'
import type { CodeSource, Verdict } from '../rules/totp.ts'
import { generatorOfDevice, generatorOfHardware, rememberStep, useStep } from '../store/code-generators.ts'
import type { CodeGeneratorRow } from '../store/code-generators.ts'
import type { DomainRow } from '../store/domains.ts'
import type { Queryable } from '../store/schema.ts'

type Context = Pick<ServiceContext, 'clock' | 'secrets'>

/**
 * The user's hardware token, or the device the user has in the domain, that shows the code just now. Uses the code up.
 * @returns its id; undefined where neither does.
 */
export async function checkTimedCode(
  ctx: Context,
  db: Queryable,
  { userId, domain, code }: { userId: string; domain: DomainRow; code: string },
): Promise<string | undefined> {
  const judged: Judged[] = []
  let fault: UnsealError | undefined
  const hardware = await generatorOfHardware(db, userId)
  const device = await generatorOfDevice(db, domain.id, userId)
  for (const source of [
    { generator: hardware, resynchronizes: hardware?.selfEnrolled === 0 },
    { generator: device, resynchronizes: false },
  ]) {
    try {
      judged.push(judge(ctx, { ...source, userId }, code))
    } catch (error) {
      if (!(error instanceof UnsealError)) throw error
      fault = error
    }
  }
  for (const { id, verdict } of judged) {
    // The writing decides: of those who give the same code at once, one is first.
    if (verdict.outcome === 'accepted' && (await useStep(db, id, verdict))) return id
  }
  // One whose seed was damaged is our fault, and no wrong code of the person's; the other one has been asked.
  if (fault) throw fault
  for (const { id, verdict } of judged) {
    if (verdict.outcome === 'seen') await rememberStep(db, id, { step: verdict.step, at: ctx.clock.now() })
  }
  return undefined
}

interface Judged {
  readonly id: string
  readonly verdict: Verdict
}

interface Source {
  readonly generator: CodeGeneratorRow | undefined
  readonly resynchronizes: boolean
  /** Whoever gives the code: what is sealed for somebody else does not open. */
  readonly userId: string
}

function judge({ secrets, clock }: Context, { generator, resynchronizes, userId }: Source, code: string): Judged {
  // Where there is none, the same work is done for nothing.
  if (!generator) return { id: '', verdict: asWrong(judgeCode(nobody, code, clock.now())) }
  const seed = secrets.open(generator.seed, { kind: 'seed', id: generator.id, userId })
  const source = { ...generator, seed, resynchronizes }
  return { id: generator.id, verdict: judgeCode(source, code, clock.now()) }
}

const asWrong = (_verdict: Verdict): Verdict => ({ outcome: 'wrong' })

const nobody: CodeSource = {
  seed: '00'.repeat(20),
  digits: 6,
  period: 30,
  lastStep: -1,
  drift: 0,
  seenStep: null,
  seenAt: null,
  resynchronizes: false,
}
