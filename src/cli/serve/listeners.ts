import { isIP } from 'node:net'

import { InvalidArgumentError, Option } from 'commander'

import { vendorLabel } from '../../service/engine/http/answer.ts'
import { listen } from '../../service/engine/http/listen.ts'
import type { Listening, ListenOptions, TlsCredentials } from '../../service/engine/http/listen.ts'
import type { Service } from '../../service/service.ts'
import { Failure } from '../terminal/failure.ts'
import { integer } from '../terminal/parse.ts'
import { firstInheritedFd } from './inherited-socket.ts'

export const defaultPort = 8787

/** The port of `serve`, which other commands name in addresses. */
export const portOption = (description: string): Option =>
  new Option('--port <number>', description).env('MFA_PORT').argParser(integer(0, 65_535)).default(defaultPort)

/** The address that `serve` listens on. */
export const hostOption = (): Option =>
  new Option('--host <address>', 'address to listen on; 0.0.0.0 or :: for all')
    .argParser(parseHost)
    .default('127.0.0.1')

/** Node listens on all addresses if the text is empty, as that of a variable is that was not set. */
function parseHost(text: string): string {
  if (isIP(text) !== 0 || /^\w([\w.-]*\w)?$/.test(text)) return text
  throw new InvalidArgumentError(
    'Expected an address or a name of this machine, without a port, such as 127.0.0.1, ::1, or 0.0.0.0 for all addresses.',
  )
}

export interface ListenerSettings {
  readonly port: number
  readonly host: string
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly metricsPort?: number
  /** Passed by systemd. Used instead of host and port. */
  readonly socket: number | undefined
  readonly tls: TlsCredentials | undefined
}

/** Listens for the service, and for its metrics if they have a port. Opens both or neither. */
export async function openListeners(
  service: Service,
  settings: ListenerSettings,
): Promise<[main: Listening, metrics?: Listening]> {
  const { host, port, metricsPort, socket, tls } = settings
  const label = vendorLabel(service.vendor, '1.3')
  const timeouts = { headers: settings.headersTimeout * 1000, request: settings.requestTimeout * 1000 }
  const open = (listener: Service['listener'], where: Where) => listen(listener, { host, timeouts, label, ...where })
  const main = await open(service.listener, { port, fd: socket, tls }).catch(async (error: unknown) => {
    await service.close()
    throw socket === undefined ? listenFailure({ host, port, option: '--port' }, error) : socketFailure(error)
  })
  if (!service.metrics || metricsPort === undefined) return [main]
  const metrics = await open(service.metrics, { port: metricsPort }).catch(async (error: unknown) => {
    await Promise.all([main.close(), service.close()])
    throw listenFailure({ host, port: metricsPort, option: '--metrics-port' }, error)
  })
  return [main, metrics]
}

type Where = Pick<ListenOptions, 'port' | 'fd' | 'tls'>

/** Where it was to listen, and the option that chose the port. */
interface Address {
  readonly host: string
  readonly port: number
  readonly option: '--port' | '--metrics-port'
}

function listenFailure({ host, port, option }: Address, cause: unknown): Failure {
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  const reasons: Record<string, string> = {
    EADDRINUSE: `the port is in use. Choose another with ${option}.`,
    EACCES: `permission denied. Choose a port above 1023 with ${option}.`,
    EADDRNOTAVAIL: 'this machine does not have the address. Choose another with --host.',
    ENOTFOUND: 'the host name is unknown. Choose another with --host.',
    EAI_AGAIN: 'the host name cannot be looked up now. Choose an address with --host.',
    EINVAL: 'the address needs its interface. Write it as fe80::1%eth0 with --host, or choose another.',
  }
  const reason = reasons[code] ?? `${code || 'unknown error'}. Choose another address with --host.`
  return new Failure(`Can't listen on ${authority({ host, port })}: ${reason}`, undefined, { cause })
}

function socketFailure(cause: unknown): Failure {
  const problem = `LISTEN_FDS is set, but file descriptor ${firstInheritedFd} is not a listening socket.`
  return new Failure(`${problem} Check the socket unit, or unset LISTEN_FDS.`, undefined, { cause })
}

/** Host and port, as in a URL. */
export const authority = ({ host, port }: { host: string; port: number }) =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`
