import { readFileSync } from 'node:fs'

import { Command } from 'commander'

import { commandTable } from './commands/table.ts'
import { exitCode } from './device/exit-codes.ts'

/**
 * The program with the commands that the arguments name. All others are there only by name, for `--help`.
 * @param args As typed after the program's name.
 */
export async function createProgram(args: readonly string[]): Promise<Command> {
  const program = new Command('second-factor')
    .description('A second factor for sign-ins: the service, and an authenticator for the terminal.')
    .version(version())
    .addHelpText('after', help)
  for (const [name, { description, load }] of Object.entries(commandTable)) {
    program.addCommand(args.includes(name) ? await load() : new Command(name).description(description))
  }
  configureErrors(program, program.name())
  return program
}

/** Commander ends with 1 whatever is wrong; scripts want to tell a typo from a failure. Help asked for is none. */
function configureErrors(command: Command, path: string): void {
  command
    .exitOverride((error) => process.exit(error.exitCode === 0 ? exitCode.done : exitCode.usage))
    .configureOutput({ outputError: (message, write) => write(explainUsage(message, command, path)) })
  for (const subcommand of command.commands) configureErrors(subcommand, `${path} ${subcommand.name()}`)
}

/** One line that says where to read on; of an option that is missing, which variable could have held it, too. */
function explainUsage(message: string, { options }: Command, path: string): string {
  const missing = options.find(({ envVar, flags }) => envVar && message.includes(`'${flags}' not specified`))
  const variable = missing ? `, and ${missing.envVar} is not set` : ''
  const line =
    message
      .trim()
      .split('\n')
      .map((part) => part.trim())
      .join(' ') + variable
  return `${line}${line.endsWith('.') ? '' : '.'} See: ${path} --help\n`
}

/** Of the package: its `package.json` is two folders up, in `src/` and in `dist/`. */
function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return String(Reflect.get(Object(manifest), 'version'))
}

const help = `
Environment:
  MFA_DATABASE             the database, instead of --database: every user of the machine can read a command line, and an
                           address carries a password. MFA_DATABASE_FILE names a file that holds it.

Examples:
  $ second-factor init --database mfa.sqlite --organization 'Example Ltd' --domain 'Intranet'
  $ second-factor serve --database mfa.sqlite`
