import type { Command } from 'commander'
import { Option } from 'commander'

import { changeDomain, addDomain, listDomains } from '../../service/admin/domains.ts'
import type { NewDomain } from '../../service/admin/domains.ts'
import { adminCommand, groupCommand, parseNumber, parseSwitch } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findDomain } from '../admin/find.ts'
import { withService } from '../admin/local-service.ts'
import { printJson, printTable } from '../admin/print.ts'
import { showDomain } from '../admin/show-domain.ts'
import { ending, Failure } from '../device/failure.ts'
import { exitCode } from '../device/exit-codes.ts'
import { domainImageCommand } from './domain-image.ts'

type Rules = Omit<NewDomain, 'name'>

/** What people sign in to, and by which rules. */
export function domainCommand(): Command {
  const commands = [createCommand(), listCommand(), showCommand(), setCommand(), domainImageCommand()]
  return groupCommand('domain', 'manage domains: what people sign in to', commands, [
    "domain create 'Intranet' --request-timeout 60",
    'domain list',
  ])
}

function createCommand(): Command {
  const command = adminCommand('create', 'make a domain', [
    "domain create 'Intranet' --database mfa.sqlite",
    "domain create 'VPN' --type RADIUS --bypass-enabled off --database mfa.sqlite --json",
  ])
  return withRules(command)
    .argument('<name>', 'as people see it on their device')
    .action(
      ending((name: string, settings: AdminSettings & Rules) =>
        withService(settings, async ({ ctx, organization }) => {
          showDomain(await addDomain(ctx, organization.id, { name, ...rulesOf(settings) }), settings)
        }),
      ),
    )
}

function listCommand(): Command {
  return adminCommand('list', 'list domains', [
    'domain list --database mfa.sqlite',
    "domain list --organization 'Example Ltd' --database mfa.sqlite --json",
  ]).action(
    ending((settings: AdminSettings) =>
      withService(settings, async ({ ctx, organization }) => {
        const domains = await listDomains(ctx, organization.id)
        if (settings.json) return printJson(domains)
        const rows = domains.map(({ name, type, requestTimeout, id }) => [name, type, `${requestTimeout} s`, id])
        printTable(['Name', 'Type', 'Requests', 'Id'], rows, 'There is no domain yet.')
      }),
    ),
  )
}

function showCommand(): Command {
  return adminCommand('show', 'show a domain and its rules', [
    "domain show 'Intranet' --database mfa.sqlite",
    "domain show 'Intranet' --database mfa.sqlite --json",
  ])
    .argument('<domain>', 'its name or id')
    .action(
      ending((given: string, settings: AdminSettings) =>
        withService(settings, async (service) => showDomain(await findDomain(service, given), settings)),
      ),
    )
}

function setCommand(): Command {
  const command = adminCommand('set', 'change the name or the rules of a domain', [
    "domain set 'Intranet' --number-matching required --database mfa.sqlite",
    "domain set 'Intranet' --name 'Staff site' --email-otp-enabled on --database mfa.sqlite",
  ])
  return withRules(command)
    .argument('<domain>', 'its name or id')
    .option('--name <name>', 'another name')
    .action(
      ending((given: string, settings: AdminSettings & Rules & { name?: string }) =>
        withService(settings, async (service) => {
          const domain = await findDomain(service, given)
          const changes = { ...rulesOf(settings), ...(settings.name !== undefined && { name: settings.name }) }
          if (Object.keys(changes).length === 0) {
            throw new Failure('Nothing to change. Say what: second-factor domain set --help', exitCode.usage)
          }
          showDomain(await changeDomain(service.ctx, service.organization.id, domain.id, changes), settings)
        }),
      ),
    )
}

function withRules(command: Command): Command {
  return command
    .addOption(new Option('--type <type>', 'what signs people in').choices(['RADIUS', 'WEB', 'PAM', 'OTHER']))
    .addOption(
      new Option(
        '--key-type <type>',
        'what people type into their device before they approve; it cannot change while tokens are active',
      ).choices(['NONE', 'PIN', 'PASSCODE']),
    )
    .option('--request-timeout <seconds>', 'how long a request waits for an answer: 10 to 600', parseNumber)
    .option('--activation-code-expiration <days>', 'how long activation codes work: 1 to 365', parseNumber)
    .option('--max-allowed-retries <times>', 'wrong PINs until a token is revoked: 1 to 20', parseNumber)
    .option('--bypass-enabled <on|off>', 'whether bypass codes work here', parseSwitch)
    .option('--email-otp-enabled <on|off>', 'whether codes may be e-mailed', parseSwitch)
    .option('--request-polling-enabled <on|off>', 'whether devices may ask for requests by themselves', parseSwitch)
    .addOption(
      new Option('--number-matching <when>', 'whether people type a number from the web page').choices([
        'off',
        'offered',
        'required',
      ]),
    )
}

const ruleNames = [
  'type',
  'keyType',
  'requestTimeout',
  'activationCodeExpiration',
  'maxAllowedRetries',
  'bypassEnabled',
  'emailOtpEnabled',
  'requestPollingEnabled',
  'numberMatching',
] as const

/** Only what was given: everything else stays, or is as the service has it. */
function rulesOf(settings: Rules): Rules {
  return Object.fromEntries(
    ruleNames.filter((name) => settings[name] !== undefined).map((name) => [name, settings[name]]),
  )
}
