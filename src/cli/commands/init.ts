import { stat } from 'node:fs/promises'
import { inspect } from 'node:util'

import { Command, InvalidArgumentError } from 'commander'

import { Id } from '../../contract/text.ts'
import { Title } from '../../contract/title.ts'
import { addApiKey, isApiKey } from '../../service/features/domains/api-keys.ts'
import { defaultNames } from '../../service/app-domain.ts'
import { addDomain, refuseWithoutPasskeys } from '../../service/features/domains/administration.ts'
import type { NewDomain } from '../../service/features/domains/administration.ts'
import { NameTakenError } from '../../service/engine/base/errors.ts'
import { refuseTaken } from '../../service/features/domains/take-over.ts'
import type { TakenOver } from '../../service/features/domains/take-over.ts'
import { createAdministration } from '../../service/administration.ts'
import type { ServiceContext } from '../../service/engine/context/service-context.ts'
import type { InterfaceWords } from '../../service/engine/base/interface-words.ts'
import { storeInterfaceWords } from '../../service/engine/database/service-row.ts'
import { databaseOption } from '../admin/command.ts'
import { isUrl } from '../database/failures.ts'
import { withDatabase } from '../database/open.ts'
import { defaultWords, interfaceOptions, interfaceWordsOf, typedWords } from '../serve/interface-options.ts'
import { defaultPort } from '../serve/listeners.ts'
import { exitCode, Failure, withErrorHandling } from '../terminal/failure.ts'
import { invocation, shellWord } from '../terminal/invocation.ts'
import { printRows } from '../terminal/print.ts'
import { readWholeFile } from '../terminal/read-file.ts'
import { domainTypeOption, phishingResistantOption } from './domain-options.ts'

interface Settings extends InterfaceWords, Pick<NewDomain, 'type' | 'phishingResistant'> {
  readonly database: string
  readonly organization: string
  readonly domain: string
  readonly apiKeyFile?: string
  readonly domainId?: string
  readonly json?: boolean
}

/** `second-factor init`. */
export function initCommand(): Command {
  const command = new Command('init')
    .description('create an organization with a domain and an API key, and the database if it does not exist')
    .addOption(databaseOption('path of the database, or a postgres:// URL'))
    .option('--organization <name>', 'name of the organization, which must be new', 'Organization')
    .option('--domain <name>', 'name of the domain, which people see on their device', defaultNames.domain)
    .addOption(domainTypeOption())
    .addOption(phishingResistantOption())
    .option('--api-key-file <file>', 'use the API key in this file, which existing clients already use')
    .option('--domain-id <id>', 'use this id for the domain, which existing clients already use', parseId)
  for (const option of interfaceOptions(() => 'the stored value')) command.addOption(option)
  return command
    .option('--json', 'print { organizationId, domainId, apiKey }; without apiKey if --api-key-file is set')
    .addHelpText('after', help)
    .action(withErrorHandling(init))
}

async function init(settings: Settings, command: Command): Promise<void> {
  const { database, apiKeyFile, domainId, json } = settings
  requireName('--organization', settings.organization)
  requireName('--domain', settings.domain)
  const apiKey = apiKeyFile === undefined ? undefined : await readApiKey(apiKeyFile)
  const action = async (ctx: ServiceContext) => {
    const created = await create(ctx, settings, { apiKey, domainId })
    await storeInterfaceWords(ctx.store.db, interfaceWordsOf(settings))
    if (json) console.log(JSON.stringify(created))
    else show(created, settings, nextCommand(command, database))
  }
  await withDatabase({ database, create: true }, action)
}

/** Checked before anything is created, so that the corrected command can create all of it. */
function requireName(option: string, name: string): void {
  const problem = Title.safeParse(name).error?.issues[0]
  if (problem) throw new Failure(`${option}: ${problem.message}.`, exitCode.usage)
}

/** More than an API key and a line break take, bytes. */
const maxKeyBytes = 1024

/** Reads an API key from a file: every user of the machine can read a command line. Messages never repeat the key. */
async function readApiKey(file: string): Promise<string> {
  const key = (await readWholeFile(file, maxKeyBytes)).toString('latin1').trim()
  if (!isApiKey(key)) {
    throw new Failure(`--api-key-file: ${file}: expected an API key of 64 letters and digits.`, exitCode.usage)
  }
  // Read permission of the group and of others.
  if (((await stat(file)).mode & 0o044) !== 0) {
    console.error(`--api-key-file: other users of this machine can read ${file}. Run: chmod 600 ${file}`)
  }
  return key
}

interface Created {
  readonly organizationId: string
  readonly domainId: string
  /** Absent for an API key that existing clients already use. */
  readonly apiKey?: string
}

async function create(ctx: ServiceContext, settings: Settings, takenOver: TakenOver): Promise<Created> {
  const { organization, domain: name, type, phishingResistant } = settings
  const rules = { name, type, phishingResistant }
  try {
    // Checked before anything is created.
    refuseWithoutPasskeys(rules)
    await refuseTaken(ctx, takenOver)
    const { id: organizationId } = await createAdministration(ctx).createOrganization(organization)
    const { id: domainId } = await addDomain(ctx, organizationId, rules, takenOver.domainId)
    const { key } = await addApiKey(ctx, organizationId, {}, takenOver.apiKey)
    return { organizationId, domainId, ...(takenOver.apiKey === undefined && { apiKey: key }) }
  } catch (error) {
    if (error instanceof NameTakenError) {
      throw new Failure(`${error.message} Choose another with --organization NAME.`, undefined, { cause: error })
    }
    throw error
  }
}

function show({ organizationId, domainId, apiKey }: Created, settings: Settings, next: string): void {
  const stored = typedWords(interfaceWordsOf(settings))
  printRows([
    ['Organization', `${settings.organization} (${organizationId})`],
    ['Domain', `${settings.domain} (${domainId})`],
    ['API key', apiKey ?? `from ${settings.apiKeyFile}`],
    ...(apiKey === undefined ? [] : [['Note', 'the key is shown only once'] as const]),
    ...(stored === '' ? [] : [['Stored', `${stored} (serve reads it from the database)`] as const]),
    ['Next', next],
  ])
  if (apiKey === undefined) return
  console.log(`\n${variablesOf({ apiKey, domainId }, settings.basePath)}`)
  // No variable sets them in an app.
  const { scheme, mediaType } = settings
  if (scheme !== undefined || mediaType !== undefined) {
    console.log(`Its mfa() needs these words as well: service: { …, vendor: ${inspect({ scheme, mediaType })} }`)
  }
}

/** What the app needs to find the service, for a shell and for a `.env` file, which both know `export`. */
function variablesOf(
  { apiKey, domainId }: Pick<Created, 'apiKey' | 'domainId'>,
  basePath: string = defaultWords.basePath,
): string {
  const origin = `http://localhost:${defaultPort}`
  return [
    `For the app, in its .env file or its shell. Once the service has another address, write that in place of ${origin}:`,
    `export MFA_BASE_URL=${origin}${basePath}`,
    `export MFA_AUTHENTICATOR_URL=${origin}`,
    `export MFA_API_KEY=${apiKey}`,
    `export MFA_DOMAIN_ID=${domainId}`,
  ].join('\n')
}

/**
 * The `serve` command that continues after `init`, with the options that both have, as they were typed. Options from the
 * environment are still set there. The address of a database is not repeated, because it may contain a password.
 */
function nextCommand(command: Command, database: string): string {
  const typedOptions = command.options.filter((option) => {
    const name = option.attributeName()
    return repeated.has(name) && command.getOptionValueSource(name) === 'cli'
  })
  const words = typedOptions.flatMap((option) => {
    const value = String(command.getOptionValue(option.attributeName()))
    return isUrl(value) ? [] : [option.long ?? '', shellWord(value)]
  })
  const isHidden = isUrl(database) && command.getOptionValueSource('database') === 'cli'
  return [...(isHidden ? ["MFA_DATABASE='…'"] : []), `${invocation()} serve`, ...words].join(' ')
}

const repeated = new Set(['database', 'basePath', 'scheme', 'mediaType'])

function parseId(text: string): string {
  if (Id.safeParse(text).success) return text
  throw new InvalidArgumentError('Expected 40 hexadecimal digits in lowercase.')
}

const help = `
Clients of another service can keep their configuration: init can use their API key, the id of their domain, and the words of
their interface. These words are stored in the database and apply to every service that uses it.

Examples:
  $ second-factor init --database mfa.sqlite
  $ second-factor init --database mfa.sqlite --organization 'Example Ltd' --domain 'Intranet' --json
  $ second-factor init --database mfa.sqlite --domain 'Intranet' --phishing-resistant require
  $ second-factor init --database mfa.sqlite --api-key-file key.txt --domain-id 3f2a91c0… --media-type acme`
