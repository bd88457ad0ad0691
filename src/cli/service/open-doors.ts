import { vendorLabel } from '../../service/http/answer.ts'
import { listen } from '../../service/http/listen.ts'
import type { Listening, ListenOptions, TlsCredentials } from '../../service/http/listen.ts'
import type { Service } from '../../service/service.ts'
import { Failure } from '../device/failure.ts'
import { firstInheritedFd } from './inherited-socket.ts'

export interface DoorSettings {
  readonly port: number
  readonly host: string
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly metricsPort?: number
  /** Passed by systemd, instead of host and port. */
  readonly socket: number | undefined
  readonly tls: TlsCredentials | undefined
}

/** Listens for the service, and for its metrics where they have a port: all of them, or none. */
export async function openDoors(
  service: Service,
  settings: DoorSettings,
): Promise<[main: Listening, metrics?: Listening]> {
  const { host, port, metricsPort, socket, tls } = settings
  const label = vendorLabel(service.vendor, '1.3')
  const timeouts = { headers: settings.headersTimeout * 1000, request: settings.requestTimeout * 1000 }
  const open = (listener: Service['listener'], where: Where) => listen(listener, { host, timeouts, label, ...where })
  const main = await open(service.listener, { port, fd: socket, tls }).catch(async (error: unknown) => {
    await service.close()
    throw socket === undefined ? cannotListen({ host, port }, error) : notListening(error)
  })
  if (!service.metrics || metricsPort === undefined) return [main]
  const metrics = await open(service.metrics, { port: metricsPort }).catch(async (error: unknown) => {
    await Promise.all([main.close(), service.close()])
    throw cannotListen({ host, port: metricsPort }, error)
  })
  return [main, metrics]
}

type Where = Pick<ListenOptions, 'port' | 'fd' | 'tls'>

function cannotListen({ host, port }: { host: string; port: number }, cause: unknown): Failure {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const reasons: Record<string, string> = {
    EADDRINUSE: 'something else listens there. Choose another with --port.',
    EACCES: 'it is not allowed. Choose a port above 1023 with --port.',
    EADDRNOTAVAIL: 'this machine does not have the address. Choose another with --host.',
    ENOTFOUND: 'there is no such address. Choose another with --host.',
  }
  const reason = reasons[String(code)] ?? 'for an unknown reason.'
  return new Failure(`Cannot listen on ${place({ host, port })}: ${reason}`, undefined, { cause })
}

function notListening(cause: unknown): Failure {
  const problem = `LISTEN_FDS is set, but file descriptor ${firstInheritedFd} is not a listening socket.`
  return new Failure(`${problem} Check the socket unit, or unset LISTEN_FDS.`, undefined, { cause })
}

/** Host and port, as an address has them. */
export const place = ({ host, port }: { host: string; port: number }) =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`
