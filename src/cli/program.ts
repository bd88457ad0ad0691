import { readFileSync } from 'node:fs'

import { Command } from 'commander'

import { commandTable } from './commands/table.ts'
import { exitCode } from './terminal/failure.ts'
import { asInvoked } from './terminal/invocation.ts'

/**
 * Creates the program. Only commands in the arguments are loaded; all others have just a name and a description.
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

/** The exit code of the named command after a usage error. @param args As typed after the program's name. */
export const usageExitCodeOf = ([name = '']: readonly string[]): number =>
  commandTable[name]?.usageExitCode ?? exitCode.usage

/** The exit code of the named command whose output cannot be written. @param args As typed after the program's name. */
export const outputExitCodeOf = ([name = '']: readonly string[]): number =>
  commandTable[name]?.usageExitCode ?? exitCode.failed

/** Whether the arguments may ask what the program is, and not for a command to be run. */
export const asksForHelp = (args: readonly string[]): boolean =>
  args.length === 0 || args.some((word) => ['-h', '--help', 'help', '-V', '--version'].includes(word))

/** Commander exits with 1 for every error. Scripts need to distinguish usage errors from failures. */
function configureErrors(command: Command, path: string, usage: number = exitCode.usage): void {
  command
    .exitOverride((error) => process.exit(error.exitCode === 0 ? exitCode.done : usage))
    .configureOutput({ outputError: (message, write) => write(explainUsage(message, command, path)) })
  for (const subcommand of command.commands) {
    const subcommandUsage = commandTable[subcommand.name()]?.usageExitCode ?? usage
    configureErrors(subcommand, `${path} ${subcommand.name()}`, subcommandUsage)
  }
}

/** One line that points to the help. For a missing option, it names the environment variable that could set it. */
function explainUsage(message: string, { options, args }: Command, path: string): string {
  const missing = options.find(({ envVar, flags }) => envVar && message.includes(`'${flags}' not specified`))
  const variable = missing ? `, and ${missing.envVar} is not set` : ''
  // Commander looks for missing options first, and a misspelled option is missing.
  const unknown = message.includes('not specified') ? args.find((word) => /^-./.test(word)) : undefined
  const misspelled = unknown === undefined ? '' : `unknown option '${unknown.replace(/=.*/s, '')}', and `
  const line =
    message
      .replace(/^error: /, `error: ${misspelled}`)
      .trim()
      .split('\n')
      .map((part) => part.trim())
      .join(' ') + variable
  return asInvoked(`${line}${line.endsWith('.') ? '' : '.'} See: ${path} --help\n`)
}

/** The version of the package. Its `package.json` is two folders up, from `src/` and from `dist/`. */
function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return String(Reflect.get(Object(manifest), 'version'))
}

const help = `
Environment:
  MFA_DATABASE             used instead of --database: every user of the machine can read a command line, and the address of
                           a database contains a password. MFA_DATABASE_FILE names a file that contains it.

Examples:
  $ second-factor init --database mfa.sqlite --organization 'Example Ltd' --domain 'Intranet'
  $ second-factor serve --database mfa.sqlite`
