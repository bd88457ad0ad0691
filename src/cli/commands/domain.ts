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
      const cells = domains.map(({ name, type, requestTimeout, id }) => [name, type, `${requestTimeout} s`, id])
      printTable(['Name', 'Type', 'Timeout', 'Id'], cells, 'No domains yet.')
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
  printRows(Object.values(rows).map(([label, textOf]) => [label, textOf(domain)]))
}

type Shown = Exclude<keyof Domain, 'synchronizationVersion'>

const rows: Readonly<Record<Shown, readonly [label: string, textOf: (domain: Domain) => string]>> = {
  name: ['Name', ({ name }) => name],
  id: ['Id', ({ id }) => id],
  type: ['Type', ({ type }) => type],
  keyType: ['Key type', ({ keyType }) => keyType],
  requestTimeout: ['Request timeout', ({ requestTimeout }) => `${requestTimeout} seconds`],
  activationCodeExpiration: ['Activation codes', (domain) => `valid for ${domain.activationCodeExpiration} days`],
  maxAllowedRetries: ['Wrong PINs', ({ maxAllowedRetries }) => `${maxAllowedRetries} before a token is revoked`],
  bypassEnabled: ['Bypass codes', ({ bypassEnabled }) => yesOrNo(bypassEnabled)],
  emailOtpEnabled: ['E-mailed codes', ({ emailOtpEnabled }) => yesOrNo(emailOtpEnabled)],
  requestPollingEnabled: ['Request polling', ({ requestPollingEnabled }) => yesOrNo(requestPollingEnabled)],
  numberMatching: ['Number matching', ({ numberMatching }) => numberMatching ?? 'off'],
  phishingResistant: ['Only passkeys', ({ phishingResistant }) => phishingResistant ?? 'off'],
}

function withRules(command: Command): Command {
  for (const option of Object.values(ruleOptions())) command.addOption(option)
  return command
}

const ruleOptions = (): Readonly<Record<keyof Rules, Option>> => ({
  type: domainTypeOption(),
  keyType: new Option(
    '--key-type <type>',
    'what people type into their device to approve; it cannot change while tokens are active',
  ).choices(['NONE', 'PIN', 'PASSCODE']),
  requestTimeout: numberOption('--request-timeout <seconds>', 'lifetime of a request: 10 to 600'),
  activationCodeExpiration: numberOption(
    '--activation-code-expiration <days>',
    'lifetime of activation codes: 1 to 365',
  ),
  maxAllowedRetries: numberOption('--max-allowed-retries <times>', 'wrong PINs before a token is revoked: 1 to 20'),
  bypassEnabled: switchOption('--bypass-enabled <on|off>', 'allow bypass codes'),
  emailOtpEnabled: switchOption('--email-otp-enabled <on|off>', 'allow e-mailed codes'),
  requestPollingEnabled: switchOption('--request-polling-enabled <on|off>', 'allow devices to poll for requests'),
  numberMatching: new Option('--number-matching <when>', 'make people type the number shown on the web page').choices([
    'off',
    'offered',
    'required',
  ]),
  phishingResistant: phishingResistantOption(),
})

const numberOption = (flags: string, description: string) => new Option(flags, description).argParser(integer())

const switchOption = (flags: string, description: string) => new Option(flags, description).argParser(parseSwitch)

/** Only the rules that were set: others keep their value or get the default of the service. */
function rulesOf(settings: DomainChanges): DomainChanges {
  const names = DomainChanges.keyof().options
  return Object.fromEntries(names.filter((name) => settings[name] !== undefined).map((name) => [name, settings[name]]))
}
