import { Command, InvalidArgumentError, Option } from 'commander'

/** What every command for administrators is given. */
export interface AdminSettings {
  readonly database: string
  readonly organization?: string
  readonly json?: boolean
}

/** An address carries a password, which every user of the machine could read on the command line: so the variable. */
export function databaseOption(description = 'path of the database that `init` made, or a postgres:// URL'): Option {
  return new Option('--database <file-or-url>', description).env('MFA_DATABASE').makeOptionMandatory()
}

/** A command on the database as a whole. @param examples As typed after the program's name. */
export function databaseCommand(name: string, description: string, examples: readonly [string, string]): Command {
  return new Command(name)
    .description(description)
    .addOption(databaseOption())
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ second-factor ${example}`).join('\n')}`)
}

/** A command on the database, without the service having to run. @param examples As typed after the program's name. */
export function adminCommand(name: string, description: string, examples: readonly [string, string]): Command {
  return databaseCommand(name, description, examples)
    .option('--organization <name>', 'whose; where there is only one, that one')
    .option('--json', 'as JSON')
}

/** Commands that have something in common. */
export function groupCommand(
  name: string,
  description: string,
  commands: readonly Command[],
  examples: readonly [string, string],
): Command {
  const group = new Command(name)
    .description(description)
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ second-factor ${example}`).join('\n')}`)
  for (const command of commands) group.addCommand(command)
  return group
}

/** Reads the value of an option that is a number. What it may be, the service decides. */
export function parseNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It has to be a whole number.')
  return Number(text)
}

/** Reads the value of an option that is on or off. */
export function parseSwitch(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new InvalidArgumentError('It is on or off.')
  return text === 'on'
}
