import { Command } from 'commander'

import { DeviceError, type DeviceErrorCode } from '../../device/device-error.ts'
import { exitCode } from './exit-codes.ts'
import { printable } from '../../device/printable.ts'

/** What is wrong with options, by the names that the service has for them: `ending` says them as they were typed. */
export class OptionFailure extends Error {
  override readonly name = 'OptionFailure'
}

/** Ends a command with one line: what failed, then what to do. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly exitCode: number

  constructor(message: string, code: number = exitCode.failed, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = code
  }
}

/** Runs a command's action; what it throws becomes one line on stderr and an exit code. */
export function ending<A extends unknown[]>(action: (...args: A) => Promise<void>): (...args: A) => Promise<void> {
  return async (...args) => {
    try {
      await action(...args)
    } catch (thrown) {
      const command = args.at(-1)
      const error = thrown instanceof OptionFailure ? typed(thrown, command) : thrown
      // A line may name what was typed, or what a file or another machine says.
      console.error(printable(explain(error) + hint(error, command)))
      process.exitCode = error instanceof Failure ? error.exitCode : exitCode.failed
    }
  }
}

/** Where to read on after a usage error. Commander gives an action its command as the last argument. */
function hint(error: unknown, command: unknown): string {
  if (!(error instanceof Failure) || error.exitCode !== exitCode.usage || !(command instanceof Command)) return ''
  return /--help|See: /.test(error.message) ? '' : ` See: ${pathOf(command)} --help`
}

/** `requestTimeout: must be 10 or more` becomes `--request-timeout: must be 10 or more`. */
function typed(error: OptionFailure, command: unknown): Failure {
  const known = command instanceof Command ? command : new Command()
  const names = [
    ...known.options.map((option) => [option.attributeName(), option.long ?? option.flags]),
    ...known.registeredArguments.map((argument) => [argument.name(), `<${argument.name()}>`]),
    ...Object.entries(otherNames),
  ]
  const message = error.message.replace(/\.$/, '').replaceAll(/(?<=^|; )([\w.]+)(?=: )/g, (field) => {
    return names.find(([name]) => name === field)?.[1] ?? field
  })
  return new Failure(`${message}.`, exitCode.usage, { cause: error })
}

/** Of options that are called otherwise, or are variables of the environment. */
const otherNames = {
  'push.subject': '--push-subject',
  'metrics.token': '--metrics-token',
  'smtp.url': 'MFA_SMTP_URL',
  'smtp.from': 'MFA_SMTP_FROM',
  keys: 'MFA_KEYS',
  serialNumber: '<serial>',
  usesAllowed: '--uses',
  expirationTime: '--expires',
} as const

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

/** One line, without anything secret and without a stack. */
export function explain(error: unknown): string {
  if (error instanceof Failure) return error.message
  if (error instanceof DeviceError && error.triesLeft !== undefined) return wrongPin(error.triesLeft)
  if (error instanceof DeviceError) return sentences[error.code] ?? `The service refused: ${error.code}. Try again.`
  return 'Unexpected error. Try again.'
}

const wrongPin = (left: number) =>
  `That PIN or passcode did not work. ${left === 1 ? 'One try is' : `${left} tries are`} left; after that the account is removed.`

const unreachable = 'The service does not answer. Check the address and the connection, then try again.'

const sentences: Partial<Record<DeviceErrorCode, string>> = {
  network: unreachable,
  timeout: unreachable,
  bad_response: 'What answers there is not a service of this kind. Check the address.',
  'api.error.unavailable': 'The service is not ready. Try again in a moment.',
  'api.error.internal': 'The service had a fault of its own. Try again in a moment.',
  'api.error.invalid.code': 'That cannot be an activation code: it has 10 letters and digits. Check it.',
  'api.error.invalid.pin': 'That PIN or passcode cannot be used. Choose another one.',
  'api.error.notfound.activationcode':
    'That activation code does not work: mistyped, used or too old. Check it, or get a new one on the web page.',
  'api.error.toomanyrequests': 'Too many tries. Wait a few minutes, then try again.',
  'api.error.device.clock': 'The clock of this machine is wrong. Set it, then try again.',
  'api.error.device.revoked': 'This account was removed by its organization. Activate a new code to add it again.',
  'api.error.device.moved': 'This account lives on another device now. Remove it here: second-factor device remove.',
  'api.error.device.unknown': 'The service does not know this account. Activate a new code to add it again.',
  'api.error.conflict.state': 'The request was answered otherwise or ran out. Start again on the web page.',
  'api.error.notfound.session': 'The request is gone. Start again on the web page.',
}
