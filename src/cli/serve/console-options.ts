import { InvalidArgumentError, Option } from 'commander'

import { ConsoleUrl } from '../../service/engine/front/console-address.ts'
import type { ServiceOptions } from '../../service/options.ts'

export interface ConsoleSettings {
  /** False with `--no-console`. */
  readonly console: boolean
  readonly consoleUrl?: string
  readonly allowSharedOrigin: boolean
}

export const consoleUrlOption = (description: string): Option =>
  new Option('--console-url <origin>', description).env('MFA_CONSOLE_URL').argParser(parseOrigin)

/** Options for the console. Without an address it is served only on this machine. */
export const consoleOptions = (): Option[] => [
  consoleUrlOption(
    'serve the console for administrators below /console of this origin, such as https://console.example.com, which has a ' +
      'host name of its own; by default http://localhost with the port, and only if no other machine can connect',
  ),
  new Option('--no-console', 'serve no console'),
  new Option(
    '--allow-shared-origin',
    'serve the authenticator and the REST interface on the host of the console, too; a script in one can act in the other',
  ).default(false),
]

/** The settings that decide whether only this machine can connect. */
interface Listening {
  readonly host: string
  readonly port: number
  readonly trustProxy?: unknown
  readonly tls: unknown
  readonly socket: unknown
}

/** The option of the service. */
export function consoleOf(settings: ConsoleSettings, listening: Listening): Pick<ServiceOptions, 'console'> {
  const { console, consoleUrl, allowSharedOrigin } = settings
  if (!console) return {}
  if (consoleUrl) return { console: { url: consoleUrl, allowSharedOrigin } }
  // Developers also open the authenticator, and call the REST interface, on localhost.
  return isLocal(listening) ? { console: { url: localConsole(listening.port), allowSharedOrigin: true } } : {}
}

/** The address of the console of a service on this machine. An origin has no port where it is the default. */
export const localConsole = (port: number): string => new URL(`http://localhost:${port}`).origin

/** Whether browsers reach the service at localhost. A proxy, TLS or an inherited socket means that it is for other machines. */
const isLocal = ({ host, port, trustProxy, tls, socket }: Listening): boolean =>
  ['127.0.0.1', '::1', 'localhost'].includes(host) &&
  port !== 0 &&
  [trustProxy, tls, socket].every((value) => value === undefined)

function parseOrigin(text: string): string {
  // An empty variable is one that is not set.
  if (text === '') return ''
  const parsed = ConsoleUrl.safeParse(text)
  if (!parsed.success) throw new InvalidArgumentError(`It ${parsed.error.issues[0]?.message ?? 'is invalid'}.`)
  return parsed.data
}
