import { ask, canAsk } from '../device/ask.ts'
import { exitCode } from '../device/exit-codes.ts'
import { Failure } from '../device/failure.ts'

/** Asks before something is gone for good; who cannot be asked says so beforehand. @param what "delete the user alice" */
export async function confirm(what: string, yes: boolean | undefined): Promise<void> {
  if (yes) return
  if (!canAsk()) throw new Failure(`This would ${what}. Say --yes to do it without being asked.`, exitCode.usage)
  const answer = await ask(`This will ${what}. Type yes to go on: `)
  if (answer?.toLowerCase() !== 'yes') throw new Failure('Nothing was changed.')
}

export const yesOption = ['--yes', 'do not ask'] as const
