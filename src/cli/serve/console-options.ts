import { InvalidArgumentError, Option } from 'commander'

import { ConsoleUrl } from '../../service/rules/console-address.ts'
import type { ServiceOptions } from '../../service/options.ts'

export interface ConsoleSettings {
  /** False with `--no-console`. */
  readonly console: boolean
  readonly consoleUrl?: string
  readonly allowSharedOrigin: boolean
}

export const consoleUrlOption = (description: string): Option =>
  new Option('--console-url <origin>', description).env('MFA_CONSOLE_URL').argParser(parseOrigin)

/** Options for the console. It is off unless its address is set. */
export const consoleOptions = (): Option[] => [
  consoleUrlOption(
    'serve the console for administrators below /console of this origin, such as https://console.example.com, which has a ' +
      'host name of its own',
  ),
  new Option('--no-console', 'serve no console, even if MFA_CONSOLE_URL is set'),
  new Option(
    '--allow-shared-origin',
    'serve the authenticator and the REST interface on the host of the console, too; a script in one can act in the other',
  ).default(false),
]

/** The option of the service. */
export function consoleOf({
  console,
  consoleUrl,
  allowSharedOrigin,
}: ConsoleSettings): Pick<ServiceOptions, 'console'> {
  return console && consoleUrl ? { console: { url: consoleUrl, allowSharedOrigin } } : {}
}

function parseOrigin(text: string): string {
  // An empty variable is one that is not set.
  if (text === '') return ''
  const parsed = ConsoleUrl.safeParse(text)
  if (!parsed.success) throw new InvalidArgumentError(`It ${parsed.error.issues[0]?.message ?? 'is invalid'}.`)
  return parsed.data
}
