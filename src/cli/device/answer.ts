import type { Decision } from '../../contract/device.ts'
import type { Answered } from '../../contract/device-answers.ts'
import { parseScanCode } from '../../contract/scan-code.ts'
import { type Account, requiredSecret } from '../../device/account.ts'
import { DeviceError, isGone } from '../../device/device-error.ts'
import type { Device } from '../../device/device.ts'
import type { Answer } from '../../device/requests.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { ask, canPrompt } from '../terminal/prompt.ts'
import type { Pending } from './pending.ts'
import { pinOf } from './pin.ts'
import type { PinSettings } from './pin.ts'
import { printRequest } from './print.ts'
import { explain } from './problems.ts'

export interface ApproveSettings extends PinSettings {
  readonly number?: string
  readonly keepBrowser?: boolean
  /** The state file, for the command in an error message. */
  readonly state: string
}

/** Approves a request, asking for its number and the PIN. */
export async function approve(device: Device, pending: Pending, settings: ApproveSettings): Promise<void> {
  const number = await exchange(device, pending, await numberFor(pending, settings))
  const { keepBrowser } = settings
  await withPin(pending.account, settings, (pin) =>
    sendAnswer(device, pending, 'approve', { number, pin, keepBrowser }),
  )
}

/** Calls `send` with the PIN, where the account has one. At a terminal, asks again after a wrong PIN. */
export async function withPin(
  account: Account,
  settings: PinSettings,
  send: (pin: string | undefined) => Promise<void>,
): Promise<void> {
  for (;;) {
    const pin = await pinOf(account, settings)
    try {
      return await send(pin)
    } catch (error) {
      if (pin !== undefined && isGone(error)) throw new Failure(tooManyWrongPins, undefined, { cause: error })
      const isWrongPin = error instanceof DeviceError && error.triesLeft !== undefined
      if (!isWrongPin || settings.pinStdin || !canPrompt()) throw error
      console.error(explain(error))
    }
  }
}

const tooManyWrongPins =
  'The PIN or passcode was wrong too often: the account was removed. To add it again, activate a new code.'

async function numberFor(pending: Pending, { number, state }: ApproveSettings): Promise<string | undefined> {
  if (pending.request.numberLength === 0 || number !== undefined) return number
  if (!canPrompt()) throw new Failure(`A number is required. Run: ${approveCommand(pending, state)}`, exitCode.usage)
  printRequest(pending)
  return ask(numberQuestion)
}

export const numberQuestion = 'Number shown on the web page: '

/** The text of the QR code on the web page can be given in place of the number. */
async function exchange(device: Device, { account, request }: Pending, number?: string): Promise<string | undefined> {
  const code = parseScanCode(number ?? '')
  if (!code) return number
  if (code.sessionId !== request.id)
    throw new Failure('That is not the code of this request. It is on the sign-in page.')
  const scanned = await device.scan(account, request, code.secret)
  if (scanned.number === undefined) throw new Failure(explainOutcome(scanned))
  return scanned.number
}

/**
 * Asks the person at the terminal how to answer a request.
 * @param settings `end` aborts when the request no longer waits for an answer.
 */
export async function promptForAnswer(
  device: Device,
  pending: Pending,
  settings: { readonly state: string; readonly end: AbortSignal; readonly askPerson?: typeof ask },
): Promise<void> {
  const { state, end, askPerson = ask } = settings
  for (;;) {
    const answer = await askPerson('Type approve, deny or report, or press Enter to skip: ', end)
    // Whole words only: the rest of what was typed for the previous request must not answer this one.
    if (answer === 'deny' || answer === 'report') return sendAnswer(device, pending, answer)
    if (answer === 'approve') {
      const needsNumber = pending.request.numberLength > 0
      const number = needsNumber ? await askPerson(numberQuestion, end) : ''
      if (number !== undefined) return approve(device, pending, { number, state, signal: end })
    }
    if (end.aborted) throw new Failure('The request is gone.')
    if (answer === '') return
  }
}

/** Sends an answer and prints the result. @throws {Failure} when the request was settled differently. */
export async function sendAnswer(
  device: Device,
  { account, request }: Pending,
  decision: Decision,
  fields: Omit<Answer, 'decision'> = {},
): Promise<void> {
  const answered = await device.answer(account, request, { decision, ...fields })
  const expected = decision === 'approve' ? 'approved' : 'denied'
  // A report of a request that had ended is accepted, too.
  if (answered.state !== expected && answered.blocked === undefined) throw new Failure(explainOutcome(answered))
  console.log(`${labels[decision]}  ${request.id}`)
  const { blocked, pausedFor } = answered
  if (blocked === 0) console.log('No request was open anymore.')
  else if (blocked !== undefined) console.log(`${blocked} request${blocked === 1 ? '' : 's'} blocked.`)
  if (pausedFor !== undefined) console.log(`New requests are paused for ${pausedFor / 60} minutes.`)
}

const labels = { approve: 'Approved', deny: 'Denied  ', report: 'Reported' } as const

function explainOutcome({ state, reason }: Answered): string {
  if (reason === 'wrong_number') return "The numbers didn't match. Start again on the web page."
  if (state === 'expired') return 'The request expired. Start again on the web page.'
  return `Not approved: the session is ${state}. Start again on the web page.`
}

/** The command that approves a request, with every option that it needs. */
export function approveCommand({ account, request }: Pending, state: string): string {
  const number = request.numberLength > 0 ? ` --number ${'N'.repeat(request.numberLength)}` : ''
  const pin = requiredSecret(account) ? ' --pin-stdin' : ''
  return `second-factor device approve ${request.id}${number}${pin} --state ${state}`
}
