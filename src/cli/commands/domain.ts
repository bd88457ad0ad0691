import type { Command } from 'commander'
import { Option } from 'commander'

import type { Domain } from '../../contract/domains.ts'
import { changeDomain, addDomain, DomainChanges, listDomains } from '../../service/features/domains/administration.ts'
import type { NewDomain } from '../../service/features/domains/administration.ts'
import { adminCommand, groupCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findDomain } from '../admin/find.ts'
import { serviceAction } from '../admin/local-service.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { integer, parseSwitch } from '../terminal/parse.ts'
import { printJson, printRows, printTable, yesOrNo } from '../terminal/print.ts'
import { domainImageCommand } from './domain-image.ts'
import { domainTypeOption, phishingResistantOption } from './domain-options.ts'

type Rules = Omit<NewDomain, 'name'>

/** `second-factor domain`. */
export function domainCommand(): Command {
  const commands = [createCommand(), listCommand(), showCommand(), setCommand(), domainImageCommand()]
  return groupCommand('domain', 'manage domains, which people sign in to', commands, [
    "domain create 'Intranet' --request-timeout 60",
    'domain list',
  ])
}

function createCommand(): Command {
  const command = adminCommand('create', 'create a domain', [
    "domain create 'Intranet'",
    "domain create 'VPN' --type RADIUS --bypass-enabled off --json",
  ])
  return withRules(command)
    .argument('<name>', 'name that people see on their device')
    .action(
      serviceAction(async ({ ctx, organization }, name: string, settings: AdminSettings & Rules) => {
        showStored(await addDomain(ctx, organization.id, { ...rulesOf(settings), name }), settings)
      }),
    )
}

function listCommand(): Command {
  return adminCommand('list', 'list domains', [
    'domain list',
    "domain list --organization 'Example Ltd' --json",
  ]).action(
    serviceAction(async ({ ctx, organization }, settings: AdminSettings) => {
      const domains = await listDomains(ctx, organization.id)
      if (settings.json) return printJson(domains)
      const rows = domains.map(({ name, type, requestTimeout, id }) => [name, type, `${requestTimeout} s`, id])
      printTable(['Name', 'Type', 'Timeout', 'Id'], rows, 'No domains yet.')
    }),
  )
}

function showCommand(): Command {
  return adminCommand('show', 'show a domain and its rules', "domain show 'Intranet'")
    .argument('<domain>', 'name or id')
    .action(
      serviceAction(async (service, nameOrId: string, settings: AdminSettings) =>
        showDomain(await findDomain(service, nameOrId), settings),
      ),
    )
}

function setCommand(): Command {
  const command = adminCommand('set', 'change the name or the rules of a domain', [
    "domain set 'Intranet' --name 'Staff site' --number-matching required",
    "domain set 'Intranet' --phishing-resistant require",
  ])
  return withRules(command)
    .argument('<domain>', 'name or id')
    .option('--name <name>', 'new name')
    .action(
      serviceAction(async (service, nameOrId: string, settings: AdminSettings & DomainChanges) => {
        const domain = await findDomain(service, nameOrId)
        const changes = rulesOf(settings)
        if (Object.keys(changes).length === 0) {
          throw new Failure('Nothing to change. See: second-factor domain set --help', exitCode.usage)
        }
        showStored(await changeDomain(service.ctx, service.organization.id, domain.id, changes), settings)
      }),
    )
}

/** Types of domains whose clients seldom show a number. */
const showsRarely: readonly string[] = ['RADIUS', 'PAM']

/** Prints a domain as it is stored now, and a rule that stops what it is for. */
function showStored(domain: Domain, settings: AdminSettings): void {
  showDomain(domain, settings)
  if (!showsRarely.includes(domain.type) || domain.numberMatching !== 'required') return
  console.error(
    'Requests of clients that cannot show a number are denied, and few clients of a VPN, a network or PAM can. To let them ask: --number-matching offered',
  )
}

/** Prints a domain and its rules. */
function showDomain(domain: Domain, { json }: AdminSettings): void {
  if (json) return printJson(domain)
  printRows([
    ['Name', domain.name],
    ['Id', domain.id],
    ['Type', domain.type],
    ['Key type', domain.keyType],
    ['Request timeout', `${domain.requestTimeout} seconds`],
    ['Activation codes', `valid for ${domain.activationCodeExpiration} days`],
    ['Wrong PINs', `${domain.maxAllowedRetries} before a token is revoked`],
    ['Bypass codes', yesOrNo(domain.bypassEnabled)],
    ['E-mailed codes', yesOrNo(domain.emailOtpEnabled)],
    ['Request polling', yesOrNo(domain.requestPollingEnabled)],
    ['Number matching', domain.numberMatching ?? 'off'],
    ['Only passkeys', domain.phishingResistant ?? 'off'],
  ])
}

function withRules(command: Command): Command {
  return command
    .addOption(domainTypeOption())
    .addOption(
      new Option(
        '--key-type <type>',
        'what people type into their device to approve; it cannot change while tokens are active',
      ).choices(['NONE', 'PIN', 'PASSCODE']),
    )
    .option('--request-timeout <seconds>', 'lifetime of a request: 10 to 600', integer())
    .option('--activation-code-expiration <days>', 'lifetime of activation codes: 1 to 365', integer())
    .option('--max-allowed-retries <times>', 'wrong PINs before a token is revoked: 1 to 20', integer())
    .option('--bypass-enabled <on|off>', 'allow bypass codes', parseSwitch)
    .option('--email-otp-enabled <on|off>', 'allow e-mailed codes', parseSwitch)
    .option('--request-polling-enabled <on|off>', 'allow devices to poll for requests', parseSwitch)
    .addOption(
      new Option('--number-matching <when>', 'make people type the number shown on the web page').choices([
        'off',
        'offered',
        'required',
      ]),
    )
    .addOption(phishingResistantOption())
}

/** Only the rules that were set: others keep their value or get the default of the service. */
function rulesOf(settings: DomainChanges): DomainChanges {
  const names = DomainChanges.keyof().options
  return Object.fromEntries(names.filter((name) => settings[name] !== undefined).map((name) => [name, settings[name]]))
}
