import { Command, InvalidArgumentError } from 'commander'

import { Id } from '../../contract/text.ts'
import { addApiKey } from '../../service/admin/api-keys.ts'
import { addDomain } from '../../service/admin/domains.ts'
import { NameTakenError } from '../../service/admin/name-taken.ts'
import { RefusalError } from '../../service/admin/refusal.ts'
import { refuseTaken } from '../../service/admin/take-over.ts'
import type { TakenOver } from '../../service/admin/take-over.ts'
import { createAdministration } from '../../service/admin/administration.ts'
import type { ServiceContext } from '../../service/context/service-context.ts'
import type { InterfaceWords } from '../../service/ground/interface-words.ts'
import { storeInterfaceWords } from '../../service/store/interface-words.ts'
import { databaseOption } from '../admin/command.ts'
import { readApiKey } from '../admin/read-api-key.ts'
import { ending, Failure } from '../device/failure.ts'
import { printRows } from '../device/print.ts'
import { interfaceOptions, interfaceWordsOf, typedWords } from '../service/interface-options.ts'
import { nextCommand } from '../service/next-command.ts'
import { withDatabase } from '../service/with-database.ts'

interface Settings extends InterfaceWords {
  readonly database: string
  readonly organization: string
  readonly domain: string
  readonly apiKeyFile?: string
  readonly domainId?: string
  readonly json?: boolean
}

/** Makes what a caller of the REST interface needs: an organization, its domain, and its key. */
export function initCommand(): Command {
  const command = new Command('init')
    .description('make an organization with a domain and an API key; the database, too, where there is none')
    .addOption(databaseOption('path of the database, or a postgres:// URL'))
    .option('--organization <name>', 'its name, unlike those that are there', 'Organization')
    .option('--domain <name>', 'what people sign in to, as they see it on their device', 'Sign-in')
    .option('--api-key-file <file>', 'take over the API key in this file, which clients use already')
    .option('--domain-id <id>', 'take over the id of the domain, which clients use already', parseId)
  for (const option of interfaceOptions(() => 'what is stored')) command.addOption(option)
  return command
    .option('--json', 'print { organizationId, domainId, apiKey }; no apiKey where one was taken over')
    .addHelpText('after', help)
    .action(ending(init))
}

async function init(settings: Settings, command: Command): Promise<void> {
  const { database, apiKeyFile, domainId, json } = settings
  const apiKey = apiKeyFile === undefined ? undefined : await readApiKey(apiKeyFile)
  const action = async (ctx: ServiceContext) => {
    const made = await make(ctx, settings, { apiKey, domainId })
    await storeInterfaceWords(ctx.store.db, interfaceWordsOf(settings))
    if (json) console.log(JSON.stringify(made))
    else show(made, settings, nextCommand(command, database))
  }
  await withDatabase(database, action, { create: true })
}

interface Made {
  readonly organizationId: string
  readonly domainId: string
  /** Absent where it was taken over: whoever did that has it. */
  readonly apiKey?: string
}

async function make(ctx: ServiceContext, { organization, domain }: Settings, taken: TakenOver): Promise<Made> {
  try {
    // Before anything is made, so that a refusal leaves nothing behind.
    await refuseTaken(ctx, taken)
    const { id: organizationId } = await createAdministration(ctx).createOrganization(organization)
    const { id: domainId } = await addDomain(ctx, organizationId, { name: domain }, taken.domainId)
    const { key } = await addApiKey(ctx, organizationId, {}, taken.apiKey)
    return { organizationId, domainId, ...(taken.apiKey === undefined && { apiKey: key }) }
  } catch (error) {
    if (error instanceof NameTakenError) {
      throw new Failure(`${error.message} Choose another with --organization NAME.`, undefined, { cause: error })
    }
    if (error instanceof RefusalError) throw new Failure(error.message, undefined, { cause: error })
    if (error instanceof TypeError) throw new Failure('A name has 1 to 128 characters.', 2, { cause: error })
    throw error
  }
}

function show({ organizationId, domainId, apiKey }: Made, settings: Settings, next: string): void {
  const stored = typedWords(interfaceWordsOf(settings))
  printRows([
    ['Organization', `${settings.organization} (${organizationId})`],
    ['Domain', `${settings.domain} (${domainId})`],
    ['API key', apiKey ?? `the one in ${settings.apiKeyFile}`],
    ...(apiKey === undefined ? [] : [['Note', 'the key is shown this once'] as const]),
    ...(stored === '' ? [] : [['Stored', `${stored} (serve reads it from the database)`] as const]),
    ['Next', next],
  ])
}

function parseId(text: string): string {
  if (Id.safeParse(text).success) return text
  throw new InvalidArgumentError('It has 40 characters: digits and lowercase letters from a to f.')
}

const help = `
What existing clients of another service are configured with can be taken over, so that they need no change: the API key, the
domain id, and how the interface is called. The latter is stored in the database, for all services on it.

Examples:
  $ second-factor init --database mfa.sqlite
  $ second-factor init --database mfa.sqlite --organization 'Example Ltd' --domain 'Intranet' --json
  $ second-factor init --database mfa.sqlite --api-key-file key.txt --domain-id 3f2a91c0… --media-type acme`
