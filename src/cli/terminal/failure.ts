import { Command } from 'commander'

import { printable } from '../../ground/printable.ts'
import { asInvoked } from './invocation.ts'
import { namesOfMembers } from './sender-variables.ts'

/** How a command ends, for scripts. */
export const exitCode = Object.freeze({ done: 0, failed: 1, usage: 2, nothingPending: 3 })

/** Ends a command with one line: what failed, then what to do. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly exitCode: number

  constructor(message: string, code: number = exitCode.failed, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = code
  }
}

/** Invalid options, named as the service names them. `withErrorHandling` prints them as they were typed. */
export class OptionFailure extends Error {
  override readonly name = 'OptionFailure'
}

/** Wraps the action of a command: an error becomes one line on stderr and an exit code. */
export function withErrorHandling<A extends unknown[]>(action: (...args: A) => Promise<void>) {
  return async (...args: A): Promise<void> => {
    try {
      await action(...args)
    } catch (cause) {
      const command = commandOf(args)
      const error = cause instanceof OptionFailure ? asTyped(cause, command) : cause
      // The line may quote user input, the content of a file or the response of another machine.
      console.error(printable(asInvoked(explain(error) + helpHint(error, command))))
      process.exitCode = error instanceof Failure ? error.exitCode : exitCode.failed
    }
  }
}

/** Commander passes the command as the last argument of an action. */
export function commandOf(args: readonly unknown[]): Command {
  const command = args.at(-1)
  return command instanceof Command ? command : new Command()
}

/** One line, without secrets and without a stack. */
export const explain = (error: unknown): string =>
  error instanceof Failure ? error.message : 'Unexpected error. Try again.'

/** Points to the help after a usage error, unless the message ends with a command already. */
function helpHint(error: unknown, command: Command): string {
  if (!(error instanceof Failure) || error.exitCode !== exitCode.usage || !command.name()) return ''
  if (/--help|See: |Run: /.test(error.message)) return ''
  return `${/[.?!]$/.test(error.message) ? '' : '.'} See: ${pathOf(command)} --help`
}

/** `requestTimeout: must be 10 or more` becomes `--request-timeout: must be 10 or more`. */
function asTyped(error: OptionFailure, { options, registeredArguments }: Command): Failure {
  const names = new Map<string, string>([
    ...Object.entries(irregularNames),
    ...registeredArguments.map((argument) => [argument.name(), `<${argument.name()}>`] as const),
    ...options.map((option) => [option.attributeName(), option.long ?? option.flags] as const),
  ])
  const message = error.message
    .replace(/\.$/, '')
    .replaceAll(/(?<=^|; )([\w.]+)(?=: )/g, (field) => names.get(field) ?? field)
  return new Failure(`${message}.`, exitCode.usage, { cause: error })
}

/** Options whose names differ, or which are environment variables. */
const irregularNames = {
  'push.subject': '--push-subject',
  'metrics.token': '--metrics-token',
  ...namesOfMembers,
  keys: 'MFA_KEYS',
  listenDatabase: 'MFA_LISTEN_DATABASE',
  issuer: '--oidc-issuer',
  serialNumber: '<serial>',
  usesAllowed: '--uses',
  expirationTime: '--expires',
} as const

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
