import type { Answered, Decision } from '../../contract/device.ts'
import { asksFor } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import type { Answer } from '../../device/requests.ts'
import { ask, canAsk } from './ask.ts'
import { exitCode } from './exit-codes.ts'
import { Failure } from './failure.ts'
import type { Pending } from './pending.ts'
import { printRequest } from './print.ts'

/** Sends an answer and prints what came of it. @throws {Failure} when that is not what was wanted. */
export async function sendAnswer(
  device: Device,
  { account, request }: Pending,
  decision: Decision,
  typed: Omit<Answer, 'decision'> = {},
): Promise<void> {
  const answered = await device.answer(account, request, { decision, ...typed })
  const wanted = decision === 'approve' ? 'approved' : 'denied'
  if (answered.state !== wanted) throw new Failure(otherwise(answered))
  console.log(`${words[decision]}  ${request.id}`)
}

/** The number of an approval: as given, or asked for where there is somebody to ask. */
export async function numberFor(
  pending: Pending,
  given: string | undefined,
  state: string,
): Promise<string | undefined> {
  if (pending.request.numberLength === 0 || given !== undefined) return given
  if (!canAsk()) throw new Failure(`A number is needed. Type: ${approveCommand(pending, state)}`, exitCode.usage)
  printRequest(pending)
  return ask('Number shown on the web page: ')
}

export function approveCommand({ account, request }: Pending, state: string): string {
  const number = request.numberLength > 0 ? ` --number ${'N'.repeat(request.numberLength)}` : ''
  const pin = asksFor(account) ? ' --pin-stdin' : ''
  return `second-factor device approve ${request.id}${number}${pin} --state ${state}`
}

export const words = { approve: 'Approved', deny: 'Denied  ', report: 'Reported' } as const

export function otherwise({ state, reason }: Answered): string {
  if (reason === 'wrong_number') return 'The numbers did not match. Start again on the web page.'
  if (state === 'expired') return 'Time ran out. Start again on the web page.'
  return `Not approved: the session is ${state}. Start again on the web page.`
}
