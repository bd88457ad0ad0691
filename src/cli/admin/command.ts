import { Command, Option } from 'commander'

/** Options of every command for administrators. */
export interface AdminSettings {
  readonly database: string
  readonly organization?: string
  readonly json?: boolean
}

/** The variable exists because an address contains a password, and every user of the machine can read a command line. */
export function databaseOption(description = 'path of a database that `init` created, or a postgres:// URL'): Option {
  return new Option('--database <file-or-url>', description).env('MFA_DATABASE').makeOptionMandatory()
}

/** As typed after the program's name; the help adds a database where they name none. A single one is repeated with `--json`. */
export type Examples = string | readonly [string, string]

/** A command on the whole database. */
export function databaseCommand(
  name: string,
  description: string,
  examples: Examples,
  database = databaseOption(),
): Command {
  const complete = (typeof examples === 'string' ? [examples, `${examples} --json`] : examples).map((example) =>
    example.includes('--database') ? example : example.replace(/(?= --json$| > |$)/, ' --database mfa.sqlite'),
  )
  return new Command(name).description(description).addOption(database).addHelpText('after', examplesHelp(complete))
}

/** A command on one organization. It needs the database, not a running service. */
export function adminCommand(name: string, description: string, examples: Examples): Command {
  return databaseCommand(name, description, examples)
    .option('--organization <name>', 'the organization; needed only if there are several')
    .option('--json', 'print JSON')
}

/** A command with subcommands. @param examples As typed after the program's name. */
export function groupCommand(
  name: string,
  description: string,
  commands: readonly Command[],
  examples: readonly [string, string],
): Command {
  const group = new Command(name).description(description).addHelpText('after', examplesHelp(examples))
  for (const command of commands) group.addCommand(command)
  return group
}

export const examplesHelp = (examples: readonly string[]): string =>
  `\nExamples:\n${examples.map((example) => `  $ second-factor ${example}`).join('\n')}`
