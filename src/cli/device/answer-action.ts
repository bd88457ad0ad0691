import type { ApprovalDecision } from '../../contract/approval-facts.ts'
import type { ApprovalAnswered } from '../../contract/approval-answers.ts'
import { requiredSecret } from '../../device/account.ts'
import { type ApprovalAnswer, readContent } from '../../device/approvals.ts'
import type { Device } from '../../device/device.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { ask, canPrompt } from '../terminal/prompt.ts'
import { type ApproveSettings, numberQuestion, withPin } from './answer.ts'
import { type PendingAction, printAction, unreadable } from './print-action.ts'

export interface ApproveActionSettings extends ApproveSettings {
  /** The id as it was typed. */
  readonly id: string
}

/** How many characters of an id name an action without a person at the terminal: an action that came later must not match by chance. */
const minIdLength = 12

/** Approves an action, after it was shown in full. At a terminal, asks first. */
export async function approveAction(
  device: Device,
  pending: PendingAction,
  { id, ...settings }: ApproveActionSettings,
): Promise<void> {
  if (settings.keepBrowser) throw new Failure('--keep-browser is only for sign-ins.', exitCode.usage)
  if (!readContent(pending.approval)) throw new Failure(unreadable)
  if (!canPrompt() && id.length < minIdLength) {
    throw new Failure(`Name the action by at least ${minIdLength} characters of its id.`, exitCode.usage)
  }
  if (pending.approval.numberLength > 0 && settings.number === undefined && !canPrompt()) {
    throw new Failure(`A number is required. Run: ${approveActionCommand(pending, settings.state)}`, exitCode.usage)
  }
  printAction(pending)
  if (canPrompt() && (await ask('Type approve to sign this: ')) !== 'approve') throw new Failure('Nothing was signed.')
  const needsNumber = pending.approval.numberLength > 0
  const number = needsNumber ? (settings.number ?? (await ask(numberQuestion))) : undefined
  await approveShown(device, pending, { ...settings, number })
}

/** An answer that comes sooner was typed before the question was shown, ms. */
const minReadingTime = 500

interface PromptSettings {
  readonly state: string
  readonly end: AbortSignal
  readonly askPerson?: typeof ask
  /** Milliseconds since any moment. */
  readonly now?: () => number
}

/** Asks the person at the terminal how to answer an action that was shown in full. */
export async function promptForAction(
  device: Device,
  pending: PendingAction,
  { state, end, askPerson = ask, now = () => performance.now() }: PromptSettings,
): Promise<void> {
  const isReadable = readContent(pending.approval) !== undefined
  for (;;) {
    const words = isReadable ? 'approve, deny or report' : 'deny or report'
    const shownAt = now()
    const answer = await askPerson(`Type ${words} (you didn't ask for this), or press Enter to skip: `, end)
    // A terminal keeps what is typed: a second "approve" for the previous action must not sign this one unread.
    if (answer && now() - shownAt < minReadingTime) continue
    // Whole words only: the rest of what was typed for the previous request must not answer this one.
    if (answer === 'deny' || answer === 'report') return sendActionAnswer(device, pending, answer, { state })
    if (answer === 'approve' && isReadable) {
      const needsNumber = pending.approval.numberLength > 0
      const number = needsNumber ? await askPerson(numberQuestion, end) : ''
      if (number !== undefined)
        return approveShown(device, pending, { number: needsNumber ? number : undefined, state, signal: end })
    }
    if (end.aborted) throw new Failure('The action no longer waits for your answer.')
    if (answer === '') return
  }
}

interface ShownSettings extends Omit<ApproveSettings, 'number'> {
  readonly number: string | undefined
}

const approveShown = (device: Device, pending: PendingAction, { number, ...settings }: ShownSettings) =>
  withPin(pending.account, settings, (pin) =>
    sendActionAnswer(device, pending, 'approve', { ...settings, number, pin }),
  )

/** Sends an answer and prints the result. @throws {Failure} when the action was settled differently. */
export async function sendActionAnswer(
  device: Device,
  { account, approval }: PendingAction,
  decision: ApprovalDecision,
  { state, number, pin }: Omit<ApprovalAnswer, 'decision'> & { readonly state: string },
): Promise<void> {
  const answered = await device.answerApproval(account, approval, { decision, number, pin })
  const expected = decision === 'approve' ? 'approved' : 'denied'
  if (answered.state !== expected && answered.state !== 'pending') throw new Failure(explainOutcome(answered))
  console.log(`${labels[decision]}  ${approval.id}`)
  if (answered.state === 'pending') console.log('Other people can still answer it.')
  if (decision === 'report') {
    console.log(`This requester can't ask you for 24 hours. To allow it again: ${blocksCommand(state)}`)
  }
}

const labels = { approve: 'Approved', deny: 'Denied  ', report: 'Reported' } as const

function explainOutcome({ state, reason }: ApprovalAnswered): string {
  if (reason === 'wrong_number') return "The numbers didn't match. Start again on the web page."
  if (state === 'expired') return 'The action expired. Start again where you asked for it.'
  return `Your answer doesn't count: the action is ${state}.`
}

const blocksCommand = (state: string) => `second-factor device blocks --state ${state}`

/** The command that approves an action, with every option that it needs. */
export function approveActionCommand({ account, approval }: PendingAction, state: string): string {
  const number = approval.numberLength > 0 ? ` --number ${'N'.repeat(approval.numberLength)}` : ''
  const pin = requiredSecret(account) ? ' --pin-stdin' : ''
  return `second-factor device approve ${approval.id}${number}${pin} --state ${state}`
}
