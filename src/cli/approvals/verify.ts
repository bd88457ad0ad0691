import { ProofError } from '../../client/proofs/proof-error.ts'
import type { VerifiedProof } from '../../client/proofs/verify-proof.ts'
import { verifyProof } from '../../client/proofs/verify-proof.ts'
import { verifyAnswers, verifyApproval } from '../../client/proofs/verify-approval.ts'
import type { ProofOptions } from '../../client/proofs/receipt.ts'
import type { Approval, ApprovalContent } from '../../contract/approvals.ts'
import { commandClock } from '../../ground/clock.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { counted, dateOf, printJson, printRows } from '../terminal/print.ts'
import { readProofs, readTrust } from './read-proofs.ts'
import type { Proved } from './read-proofs.ts'
import { visible } from './visible.ts'

export interface VerifySettings {
  readonly trust: string
  readonly service?: string
  readonly anyOutcome?: boolean
  readonly json?: boolean
}

/** What was found about one approval or proof. */
interface Finding {
  /** The id that the approval has in the file, which nothing confirms where it is not valid. */
  readonly id?: string
  readonly valid: boolean
  /** Why it is not valid. */
  readonly problem?: string
  readonly answers: readonly VerifiedProof[]
}

/** How far the clocks of the service and of this machine may differ, s. */
const clockTolerance = 300

/** `second-factor proof verify`. */
export async function verify(file: string, settings: VerifySettings): Promise<void> {
  const [proofs, trust] = [await readProofs(file), await readTrust(settings.trust)]
  const findings = proofs.map((proved) => verifyOne(proved, trust, settings))
  if (settings.json) printJson(findings)
  else findings.forEach((finding, index) => print(finding, index))
  const invalid = findings.filter(({ valid }) => !valid)
  if (findings.length > 1 && !settings.json) {
    console.log(`\n${counted(findings.length - invalid.length, 'valid approval')}, ${invalid.length} invalid.`)
  }
  if (invalid.length > 0) process.exitCode = exitCode.failed
}

function verifyOne(
  proved: Proved,
  trust: { readonly keys: readonly object[] },
  { service, anyOutcome = false }: VerifySettings,
): Finding {
  const options = { trust, service, now: commandClock.now() + clockTolerance }
  const id = 'approval' in proved ? { id: proved.approval.id } : {}
  try {
    if ('proof' in proved) return approvedOrNot([verifyProof(proved.proof, options)], anyOutcome)
    return { ...id, ...verifyWhole(proved.approval, options, anyOutcome) }
  } catch (error) {
    if (error instanceof ProofError) return { ...id, valid: false, problem: error.message, answers: [] }
    if (error instanceof TypeError) throw new Failure(asTyped(error.message), exitCode.usage, { cause: error })
    throw error
  }
}

function verifyWhole(approval: Approval, options: ProofOptions, anyOutcome: boolean): Finding {
  // First, so that the answers to what was not approved are shown, too.
  const answers = verifyAnswers(approval, options)
  try {
    if (!anyOutcome || approval.state === 'approved') verifyApproval(approval, options)
    return { valid: true, answers }
  } catch (error) {
    if (error instanceof ProofError) return { valid: false, problem: error.message, answers }
    throw error
  }
}

const asTyped = (message: string): string => `${message.replace(/^\w+: (\w+)/, '--$1')}.`

/** The proof of one person. How many people were needed is said in its content. */
function approvedOrNot(answers: readonly VerifiedProof[], anyOutcome: boolean): Finding {
  if (anyOutcome || answers.every(({ decision }) => decision === 'approve')) return { valid: true, answers }
  return { valid: false, problem: 'The proof is that of a denial.', answers }
}

function print({ id, valid, problem = '', answers }: Finding, index: number): void {
  if (index > 0) console.log('')
  const [first] = answers
  const name = id === undefined ? '' : ` (${id})`
  if (valid) console.log(`Valid${name}${first ? '' : ': nobody answered.'}`)
  else console.log(`Invalid${name}: ${problem}`)
  if (!first) return
  printRows([...contentRows(first.content), ...answers.map(answerRow)])
  console.log(`SHA-256 of the content: ${first.digest}`)
}

function contentRows(content: ApprovalContent): [string, string][] {
  const { approval, title, app, requester, details, needed, createdAt, expiresAt } = content
  return [
    ['Title', visible(title)],
    ...details.map(({ label, value }): [string, string] => [`  ${visible(label)}`, visible(value)]),
    ['App', `${visible(app.name)} (${app.id})`],
    ['Requester', `${visible(requester.name)}${requesterKinds[requester.kind]}`],
    ['Needed', counted(needed, 'person', 'people')],
    ['Approval', approval],
    ['Time', `${dateOf(createdAt)} to ${dateOf(expiresAt)}`],
  ]
}

const requesterKinds = {
  self: ', the person who approves',
  user: ', a user of the app',
  app: ' (not confirmed)',
} as const

function answerRow(answer: VerifiedProof): [string, string] {
  return [decisions[answer.decision], `${visible(answer.user.username)}, ${dateOf(answer.at)}, ${howOf(answer)}`]
}

const decisions = { approve: 'Approved by', deny: 'Denied by', report: 'Reported by' } as const

/** What is known about how the person answered. */
function howOf(answer: VerifiedProof): string {
  if (answer.shownBy === 'app') {
    const verified = answer.userVerified ? ', person verified' : ''
    return `with a passkey${verified}; the content was shown by the app`
  }
  const facts = ['on a device that showed the content']
  if (answer.numberMatched) facts.push('number typed')
  if (answer.pinVerified) facts.push('PIN verified')
  return facts.join(', ')
}
