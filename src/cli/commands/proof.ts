import { Command } from 'commander'

import type { Approval } from '../../contract/approvals.ts'
import { examplesHelp, groupCommand } from '../admin/command.ts'
import type { ConnectionSettings } from '../approvals/connection.ts'
import { apiKeyHelp, asFailure, connect, remoteCommand, remoteDomainOption } from '../approvals/connection.ts'
import { verify } from '../approvals/verify.ts'
import type { VerifySettings } from '../approvals/verify.ts'
import { withErrorHandling } from '../terminal/failure.ts'
import { printJson, printLines } from '../terminal/print.ts'

/** `second-factor proof`. */
export const proofCommand = (): Command =>
  groupCommand(
    'proof',
    'verify and export proofs of approvals',
    [verifyCommand(), keysCommand(), exportCommand()],
    ['proof verify proof.json --trust trust.json', 'proof keys > trust.json'],
  )

const verifyCommand = (): Command =>
  new Command('verify')
    .description('verify that people have approved, with keys that you stored before; needs no connection')
    .argument('<file>', 'an approval or a proof as JSON, or an export with one a line; - for standard input')
    .requiredOption('--trust <file>', 'the keys of receipts: the output of `second-factor proof keys`')
    .option('--service <id>', 'id of the service that has to have signed the receipts')
    .option('--any-outcome', 'also accept approvals that were denied, expired or canceled, if their proofs are valid')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examplesHelp(['proof verify proof.json --trust trust.json', 'proof verify - --trust trust.json < export.jsonl']) +
        exitCodes,
    )
    .action(withErrorHandling(async (file: string, settings: VerifySettings) => verify(file, settings)))

const keysCommand = (): Command =>
  remoteCommand('keys', 'print the public keys of receipts; store them before you need them', [
    'proof keys > trust.json',
    'proof keys --base-url https://mfa.example/api > trust.json',
  ])
    .addHelpText('after', apiKeyHelp)
    .action(remoteAction(async (settings: ConnectionSettings) => printJson(await connect(settings).approvals.keys())))

interface ExportSettings extends ConnectionSettings {
  readonly domain: string
  readonly after?: string
}

const exportCommand = (): Command =>
  remoteCommand('export', 'print the approvals of a domain with their proofs, oldest first, one a line', [
    'proof export > export.jsonl',
    'proof export --after 8c1d… >> export.jsonl',
  ])
    .addOption(remoteDomainOption())
    .option('--after <id>', 'begin after this approval')
    .addHelpText('after', apiKeyHelp)
    .action(remoteAction(async (settings: ExportSettings) => printLines(exported(settings))))

async function* exported({ domain, after, ...settings }: ExportSettings): AsyncGenerator<Approval> {
  const client = connect(settings)
  let next = after
  do {
    const page = await client.approvals.list(domain, next)
    yield* page.approvals
    next = page.next
  } while (next !== undefined)
}

/** Wraps the action of a command that calls the service: an error of a call becomes one line on stderr. */
const remoteAction = <A extends unknown[]>(action: (...args: A) => Promise<void>) =>
  withErrorHandling((...args: A) =>
    action(...args).catch((error: unknown) => {
      throw asFailure(error)
    }),
  )

const exitCodes = `
Exit codes:
  0  all of them are valid, and approved unless --any-outcome is given
  1  one of them is not`
