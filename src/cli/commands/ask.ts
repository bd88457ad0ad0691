import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'

import type { ApprovalDetail } from '../../contract/approvals.ts'
import { approvalLifetimes, approvalLimits, maxApprovers, NewApprovalDetail } from '../../contract/approvals.ts'
import { ask } from '../approvals/ask.ts'
import type { ConnectionSettings } from '../approvals/connection.ts'
import { apiKeyHelp, remoteCommand, remoteDomainOption } from '../approvals/connection.ts'
import type { AskSettings } from '../approvals/new-approval.ts'
import { withErrorHandling } from '../terminal/failure.ts'
import { integer } from '../terminal/parse.ts'

type Settings = AskSettings & ConnectionSettings & { readonly domain: string }

/** `second-factor ask`. */
export const askCommand = (): Command =>
  remoteCommand('ask', 'ask people to approve an action, and wait for their answers', [
    "ask --user alice --title 'Deploy 4.2 to production' --detail commit=1f0c6a2",
    "ask --approvers anna,ben,cem --needed 2 --requested-by alice --title 'Delete the backups' > proof.json",
  ])
    .addOption(remoteDomainOption())
    .option('--user <username>', 'the person who is asked')
    .option('--approvers <usernames>', 'the people who are asked, with commas between them', parseNames)
    .option('--needed <number>', 'how many of the approvers have to approve (default: 1)', integer(1, maxApprovers))
    .option('--requested-by <user>', 'username or id of the user who asks; required with --approvers')
    .option('--from <name>', 'name that devices show as the requester, not confirmed (default: this user and machine)')
    .requiredOption('--title <text>', `what is to be approved, at most ${approvalLimits.title} characters`)
    .option('--detail <label=value>', `a fact about it; up to ${approvalLimits.details} times`, addDetail)
    .option(
      '--expires-in <seconds>',
      `how long to wait, ${approvalLifetimes.min} to ${approvalLifetimes.max} (default: ${approvalLifetimes.default})`,
      integer(approvalLifetimes.min, approvalLifetimes.max),
    )
    .addHelpText('after', apiKeyHelp + exitCodes)
    .action(
      withErrorHandling(async (settings: Settings) => {
        process.exitCode = await ask(settings)
      }),
    )

function parseNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.every((name) => name !== '')) return names
  throw new InvalidArgumentError('Expected usernames with commas between them, such as anna,ben.')
}

function addDetail(text: string, previous: readonly ApprovalDetail[] = []): ApprovalDetail[] {
  const [, label = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  if (NewApprovalDetail.safeParse({ label, value }).success) return [...previous, { label, value }]
  const { label: maxLabel, value: maxValue } = approvalLimits
  throw new InvalidArgumentError(
    `Expected label=value, with 1 to ${maxLabel} and 1 to ${maxValue} characters, and without line breaks.`,
  )
}

const exitCodes = `
Output:
  The settled approval with its proofs, as JSON, on standard output; progress on standard error.

Exit codes:
  0  approved
  1  denied
  2  expired
  3  unknown: the service did not respond, the approval was canceled, an option is wrong, or the output cannot be written`
