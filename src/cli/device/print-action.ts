import type { ApprovalContent, Requester } from '../../contract/approval-content.ts'
import type { DeviceApproval } from '../../contract/device-answers.ts'
import { type Account, requiredSecret } from '../../device/account.ts'
import { readContent } from '../../device/approvals.ts'
import { type Clock, systemClock } from '../../ground/clock.ts'
import { escapedText, mixesAlphabets } from '../../ground/visible-text.ts'
import { counted, printRows } from '../terminal/print.ts'
import { accountName } from './account-name.ts'
import { pinWord } from './pin-word.ts'

/** A pending action to approve, with its account. */
export interface PendingAction {
  readonly account: Account
  readonly approval: DeviceApproval
}

/** Prints all that is signed by an approval: the facts that the service states, then the action in the words of its requester. */
export function printAction({ account, approval }: PendingAction, clock: Clock = systemClock): void {
  const content = readContent(approval)
  const kind = requiredSecret(account)
  const remaining = Math.max(0, (content ?? approval).expiresAt - clock.now() - account.clockOffset)
  console.log('Approve this?')
  printRows([
    ['Action', approval.id],
    ['App', escapedText(content?.app.name ?? approval.domain.name)],
    ['Account', accountName(account)],
    ...(content ? [['Asked by', requesterName(content.requester, content.app.name)] as const] : []),
    ...(content && content.needed > 1 ? [['Needs', `${content.needed} people who approve`] as const] : []),
    ['Expires', `${dateTime((content ?? approval).expiresAt)}, in ${timeLeft(remaining)}`],
    ...(kind === undefined ? [] : [['Requires', `your ${pinWord[kind]}`] as const]),
    ...(approval.numberLength > 0
      ? [['Number', `${approval.numberLength} digits, shown on the web page`] as const]
      : []),
    ...(content && textsOf(content).some(mixesAlphabets) ? [['Warning', 'a word mixes alphabets'] as const] : []),
  ])
  if (!content) console.log(unreadable)
  else for (const line of contentLines(content, process.stdout.columns)) console.log(line)
}

export const unreadable = "This version can't show the action, so it can't approve it. You can deny it."

const textsOf = ({ title, details, requester }: ApprovalContent): readonly string[] => [
  title,
  requester.name,
  ...details.flatMap(({ label, value }) => [label, value]),
]

/**
 * The lines of an action. Each begins with a bar, the continued ones as well: a long value that the terminal wraps could otherwise look
 * like one of the facts above it. A value stands below its label, deeper than any label can.
 * @param columns The width of the terminal; 80 where the output is not one.
 */
export function contentLines({ title, details }: Pick<ApprovalContent, 'title' | 'details'>, columns = 80): string[] {
  const [bar, deeper] = ['| ', '|   ']
  const room = Math.max(columns, 40) - deeper.length
  const lines = wrapped(title, room).map((line) => bar + line)
  for (const { label, value } of details) {
    lines.push(...wrapped(label, room).map((line) => bar + line))
    lines.push(...wrapped(value, room).map((line) => deeper + line))
  }
  return lines
}

/** Cuts text into lines. Counts two columns for each character outside ASCII, as no terminal shows more. */
function wrapped(text: string, room: number): string[] {
  const lines = ['']
  let used = 0
  for (const character of escapedText(text)) {
    const width = character > '~' ? 2 : 1
    if (used + width > room) {
      lines.push('')
      used = 0
    }
    lines[lines.length - 1] += character
    used += width
  }
  return lines
}

/** Says who asks. Each kind ends differently, so that no user can call themselves "You". */
export function requesterName({ kind, name }: Requester, app: string): string {
  if (kind === 'self') return `You, in ${escapedText(app)}`
  return `${escapedText(name)} ${kind === 'app' ? '(not confirmed)' : '(user)'}`
}

function timeLeft(seconds: number): string {
  if (seconds < 120) return counted(seconds, 'second')
  return seconds < 7200 ? `${Math.floor(seconds / 60)} minutes` : `${Math.floor(seconds / 3600)} hours`
}

export const dateTime = (seconds: number): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }).format(seconds * 1000)
