import { Command } from 'commander'

import { NameTakenError } from '../../service/administration/name-taken.ts'
import { createAdministration } from '../../service/administration.ts'
import type { Administration } from '../../service/administration.ts'
import type { ServiceContext } from '../../service/context.ts'
import { databaseOption } from '../admin/command.ts'
import { ending, Failure } from '../device/failure.ts'
import { printRows } from '../device/print.ts'
import { isUrl } from '../service/database-name.ts'
import { withDatabase } from '../service/with-database.ts'

interface Settings {
  readonly database: string
  readonly organization: string
  readonly domain: string
  readonly json?: boolean
}

/** Makes what a caller of the REST interface needs: an organization, its domain, and its key. */
export function initCommand(): Command {
  return new Command('init')
    .description('make an organization with a domain and an API key; the database, too, where there is none')
    .addOption(databaseOption('path of the database, or a postgres:// URL'))
    .option('--organization <name>', 'its name, unlike those that are there', 'Organization')
    .option('--domain <name>', 'what people sign in to, as they see it on their device', 'Sign-in')
    .option('--json', 'print { organizationId, domainId, apiKey }')
    .addHelpText('after', examples)
    .action(ending(init))
}

async function init({ database, organization, domain, json }: Settings): Promise<void> {
  const action = async (ctx: ServiceContext) => {
    const made = await make(createAdministration(ctx), organization, domain)
    if (json) console.log(JSON.stringify(made))
    else show(made, { database, organization, domain })
  }
  await withDatabase(database, action, { create: true })
}

interface Made {
  readonly organizationId: string
  readonly domainId: string
  readonly apiKey: string
}

async function make(administration: Administration, organization: string, domain: string): Promise<Made> {
  try {
    const { id: organizationId } = await administration.createOrganization(organization)
    const { id: domainId } = await administration.createDomain(organizationId, { name: domain })
    return { organizationId, domainId, apiKey: await administration.createApiKey(organizationId) }
  } catch (error) {
    if (error instanceof NameTakenError) {
      throw new Failure(`${error.message} Choose another with --organization NAME.`, undefined, { cause: error })
    }
    if (error instanceof TypeError) throw new Failure('A name has 1 to 128 characters.', 2, { cause: error })
    throw error
  }
}

function show(made: Made, named: { database: string; organization: string; domain: string }): void {
  printRows([
    ['Organization', `${named.organization} (${made.organizationId})`],
    ['Domain', `${named.domain} (${made.domainId})`],
    ['API key', made.apiKey],
    ['Note', 'the key is shown this once'],
    ['Next', `second-factor serve --database ${isUrl(named.database) ? '…' : named.database}`],
  ])
}

const examples = `
Examples:
  $ second-factor init --database mfa.sqlite
  $ second-factor init --database mfa.sqlite --organization 'Example Ltd' --domain 'Intranet' --json`
