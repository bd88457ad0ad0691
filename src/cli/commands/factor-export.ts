import type { Command } from 'commander'

import { exportFactors } from '../../service/features/people/factor-export.ts'
import type { FactorExport } from '../../service/features/people/factor-export.ts'
import { adminCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findDomain } from '../admin/find.ts'
import { mailingAction } from '../admin/local-service.ts'
import type { LocalService } from '../admin/local-service.ts'
import { createEncryptedFile } from '../export/encrypted-file.ts'
import { createEncrypter } from '../export/encrypter.ts'
import { exitCode } from '../terminal/failure.ts'
import { counted, printJson, printRows, quote } from '../terminal/print.ts'

interface Settings extends AdminSettings {
  readonly domain?: string
  readonly passphrase?: string
  readonly recipient?: readonly string[]
  readonly force?: boolean
}

export function factorExportCommand(): Command {
  return adminCommand('export', 'write the seeds of authenticator apps and hardware tokens to an encrypted file', [
    'factor export factors.age --passphrase @passphrase.txt',
    'factor export factors.age --recipient age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg',
  ])
    .argument('<file>', 'path of the new file, which `age -d` decrypts; needs the package age-encryption')
    .option('--domain <domain>', 'only users of this domain (name or id)')
    .option('--passphrase <@file>', 'file with the passphrase; without it and --recipient, the command asks for one')
    .option('--recipient <age1…>', 'public key that can decrypt the file; may be repeated', addTo)
    .option('--force', 'replace an existing file')
    .addHelpText('after', help)
    .action(mailingAction(exportFile))
}

const addTo = (key: string, keys: readonly string[] = []): readonly string[] => [...keys, key]

async function exportFile(service: LocalService, file: string, settings: Settings): Promise<void> {
  const { ctx, organization } = service
  const domain = settings.domain === undefined ? undefined : await findDomain(service, settings.domain)
  const encrypter = await createEncrypter(settings)
  const encrypted = await createEncryptedFile(file, settings.force ?? false)
  try {
    const report = await exportFactors(ctx, { organization, domain }, (lines) => encrypted.write(lines, encrypter))
    await ctx.securityMails?.sent()
    if (report.damaged.length > 0) process.exitCode = exitCode.failed
    if (settings.json) return printJson({ file, ...report })
    printRows(rowsOf(file, report, { mails: ctx.securityMails !== undefined, passphrase: !settings.recipient }))
  } finally {
    await encrypted.close()
  }
}

/** The serial numbers that are listed. */
const maxShown = 20

function rowsOf(
  file: string,
  { exported, devices, passkeys, freeTokens, damaged, ownersTold }: FactorExport,
  { mails, passphrase }: { readonly mails: boolean; readonly passphrase: boolean },
): (readonly [string, string])[] {
  const serials = damaged.slice(0, maxShown).map(quote).join(', ') + (damaged.length > maxShown ? ', …' : '')
  const [first, ...others] = [
    ...(devices + passkeys > 0
      ? [
          `${counted(devices, 'device')} and ${counted(passkeys, 'passkey')} cannot be exported: their keys never leave them. These users set up a factor again`,
        ]
      : []),
    ...(freeTokens > 0 ? [`${counted(freeTokens, 'hardware token')} without a user`] : []),
    ...(damaged.length > 0 ? [`${counted(damaged.length, 'seed')} that can't be decrypted: ${serials}`] : []),
    'recovery codes: users make new ones',
  ]
  const mail = mails ? counted(ownersTold, 'owner') : 'nobody: MFA_SMTP_URL is not set, or MFA_NOTIFY_MAIL is false'
  return [
    ['Exported', `${counted(exported, 'authenticator app or hardware token', appsAndTokens)} to ${file}`],
    ['Not exported', first ?? ''],
    ...others.map((text) => ['', text] as const),
    ['Told by mail', mail],
    ['Decrypt', `age -d ${passphrase ? '' : '-i KEY_FILE '}-o factors.jsonl ${file}`],
    [
      'Afterwards',
      `delete ${file} and what you decrypted: everybody who has them can sign in with the codes of these users`,
    ],
  ]
}

const appsAndTokens = 'authenticator apps and hardware tokens'

const help = `
Each line of the file is JSON, with username, name, email and otpauth (a Key URI). The audit trail records the export, and owners
get a mail, before the file appears.

Environment:
  MFA_SMTP_URL             mail server for the mail to the owners, with MFA_SMTP_FROM as for \`serve\`
  MFA_KEYS                 keys of the database; by default the key file beside it`
